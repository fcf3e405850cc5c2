// What became of a record while somebody was changing it: who did what and when, what differs by it, and the way to make the change on
// top of it.

import { css, html, nothing } from 'lit';

import { element, flag, given } from '../elements/element.ts';
import type { Found } from '../api/http/meanwhile.ts';
import '../elements/diff.ts';
import { changesOfDifference } from '../lib/history/history.ts';
import { linkTo } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';

/** Tells by `gw-on-top` that the change is wanted all the same. */
class GwSaveBecame extends element({
  found: given<Found>(),
  busy: flag(),
  /** It can be made on top. */
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

  /** It comes below what was looked at, and is as high as what is in it once that is drawn. */
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
              >See what was done</a
            >`
      }
      ${
        this.offered
          ? html`<button type="button" class="primary" ?disabled=${this.busy} @click=${this.#onTop}>
              Save again on top
            </button>`
          : kind === 'changed'
            ? html`<span
                >Close this, and review the change anew: it is then of what is there.</span
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
