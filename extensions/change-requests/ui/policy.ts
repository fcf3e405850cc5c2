// Edits the approval policy: which kinds of change need a second person. Changing an existing
// policy needs approval too.

import { css, html } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state } from '../../../ui/elements/element.ts';
import { setChangePolicy } from './api.ts';
import type { ChangePolicy } from './api.ts';
import { changeKinds, kindsText } from './steps.ts';
import type { ChangeKind } from './steps.ts';
import '../../../ui/parts/save.ts';
import type { Save } from '../../../ui/lib/saves/save.ts';
import { base, buttons, controls } from '../../../ui/styles/base.ts';

/** Dispatches `gw-done` when the policy is saved. */
class GwChangePolicy extends element({
  policy: given<ChangePolicy>(),
  chosen: state<ReadonlySet<ChangeKind>>(),
  save: state<Save | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      li label {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        align-items: center;
        gap: 0 var(--space-3);
        padding: var(--space-2) 0;
        border-bottom: 1px solid var(--line);
      }

      .about {
        grid-column: 2;
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .about-it {
        margin-bottom: var(--space-3);
        color: var(--text-2);
      }

      .primary {
        margin-top: var(--space-4);
      }
    `,
  ];

  constructor() {
    super();
    this.chosen = new Set();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('policy') && !this.hasUpdated) this.chosen = new Set(this.policy.kinds);
  }

  protected override render() {
    return html`<p class="about-it">
        A selected kind of change needs a change request that another person has approved. The
        author cannot approve it, nor can a user whose password the author set. Changes that
        machines make need no approval.
      </p>
      <ul>
        ${changeKinds.map(
          ({ value, label, about }) =>
            html`<li>
              <label
                ><input
                  type="checkbox"
                  .checked=${this.chosen.has(value)}
                  @change=${() => this.#toggle(value)}
                /><span>${label}</span><span class="about">${about}</span></label
              >
            </li>`,
        )}
      </ul>
      <button type="button" class="primary" @click=${this.#ask}>Review change</button>
      <gw-save .save=${this.save} @gw-close=${this.#close} @gw-saved=${this.#onSaved}></gw-save>`;
  }

  #toggle(kind: ChangeKind): void {
    this.chosen = this.chosen.symmetricDifference(new Set([kind]));
  }

  readonly #ask = (): void => {
    const kinds = changeKinds.map(({ value }) => value).filter((kind) => this.chosen.has(kind));
    this.save = {
      heading: 'Edit the approval policy',
      verb: 'Save policy',
      done: 'Approval policy updated',
      before: { needs_approval: kindsText(this.policy.kinds) || null },
      after: { needs_approval: kindsText(kinds) || null },
      run: (change) => setChangePolicy(kinds, change),
    };
  };

  readonly #close = (): void => {
    this.save = null;
  };

  readonly #onSaved = (): void => {
    this.save = null;
    this.dispatchEvent(new CustomEvent('gw-done'));
  };
}

customElements.define('gw-change-policy', GwChangePolicy);
