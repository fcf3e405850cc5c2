// Shows a failure with the message of the server and the request id for its log.

import { css, html, nothing } from 'lit';

import { element, flag, given } from './element.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import { base, buttons } from '../styles/base.ts';
import './copy.ts';
import './icon.ts';

class GwError extends element({
  failure: given<ApiFailure | null>(null),
  /** Offers a retry with the event `gw-retry`. */
  retriable: flag(),
}) {
  static override styles = [
    base,
    buttons,
    css`
      .box {
        display: flex;
        gap: var(--space-2);
        padding: var(--space-2) var(--space-3);
        border: 1px solid var(--bad);
        border-radius: var(--radius-m);
        background: var(--bad-soft);
        color: var(--text);
      }

      .box > gw-icon {
        margin-top: 0.1875rem;
        color: var(--bad);
      }

      .words {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }

      .id {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-1);
        color: var(--text-2);
        font-size: var(--text-s);
      }
    `,
  ];

  protected override render() {
    const { failure } = this;
    if (failure === null) return nothing;
    const id = failure.requestId;
    return html`<div class="box" role="alert">
      <gw-icon name="circle-alert"></gw-icon>
      <div class="words">
        ${failure.message}
        ${
          id === null
            ? nothing
            : html`<div class="id">
                request <code>${id}</code><gw-copy text=${id} label="request id"></gw-copy>
              </div>`
        }
      </div>
      ${this.#way(failure)}
    </div>`;
  }

  #way({ code }: ApiFailure) {
    // The requested code is no longer served, so only a reload helps.
    if (code === 'other_build') {
      return html`<button type="button" @click=${() => globalThis.location.reload()}>
        Reload the page
      </button>`;
    }
    if (!this.retriable) return nothing;
    return html`<button type="button" @click=${this.#retry}>Try again</button>`;
  }

  readonly #retry = (): void => {
    this.dispatchEvent(new CustomEvent('gw-retry', { bubbles: true, composed: true }));
  };
}

customElements.define('gw-error', GwError);
