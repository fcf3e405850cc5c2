// Shows who changed a record while the user edited it, what differs, and the option to save anyway.

import { css, html, nothing } from 'lit';

import { element, flag, given } from '../elements/element.ts';
import type { Found } from '../api/http/conflict.ts';
import '../elements/diff.ts';
import { changesOfDifference } from '../lib/history/history.ts';
import { linkTo } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';

/** Dispatches `gw-on-top` if the user saves anyway. */
class GwSaveBecame extends element({
  found: given<Found>(),
  busy: flag(),
  offered: flag(),
}) {
  static override styles = [
    base,
    buttons,
    css`
      :host {
        display: grid;
        gap: var(--space-2);
        padding: var(--space-2) var(--space-3);
        border: 1px solid var(--warn);
        border-radius: var(--radius-m);
        background: var(--warn-soft);
      }

      .ways {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2) var(--space-3);
      }

      gw-diff {
        border-radius: var(--radius-m);
        background: var(--surface);
      }
    `,
  ];

  /** It appears below the visible part of the dialog, and gets its height after it is drawn. */
  protected override firstUpdated(): void {
    requestAnimationFrame(() => this.scrollIntoView({ block: 'nearest' }));
  }

  protected override render() {
    const { message, difference } = this.found;
    return html`<p role="alert">${message}</p>
      ${
        difference === null
          ? nothing
          : html`<p class="quiet">What others changed since you read it:</p>
              <gw-diff .changes=${changesOfDifference(difference)}></gw-diff>`
      }
      ${this.#ways()}`;
  }

  #ways() {
    const { kind, change } = this.found;
    return html`<div class="ways">
      ${
        change === null
          ? nothing
          : html`<a target="_blank" href=${linkTo({ screen: 'history', rest: [change] })}
              >View their change</a
            >`
      }
      ${
        this.offered
          ? html`<button type="button" class="primary" ?disabled=${this.busy} @click=${this.#onTop}>
              Save anyway
            </button>`
          : kind === 'changed'
            ? html`<span
                >Close this dialog and review your change again with the current values.</span
              >`
            : nothing
      }
    </div>`;
  }

  readonly #onTop = (): void => {
    this.dispatchEvent(new CustomEvent('gw-on-top'));
  };
}

customElements.define('gw-save-became', GwSaveBecame);
