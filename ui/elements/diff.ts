// Draws the fields that a save changes, with current and new value. Text and signs carry the
// meaning as well as color. A new record has no current values, and its unset fields are omitted.

import { css, html, nothing } from 'lit';

import { element, flag, given } from './element.ts';
import type { FieldChange } from '../lib/saves/change.ts';
import { fieldLabel } from '../lib/text/field-label.ts';
import { fieldValue } from '../lib/text/field-value.ts';
import { wordDiff } from '../lib/text/word-diff.ts';
import type { Piece, WordDiff } from '../lib/text/word-diff.ts';
import { base } from '../styles/base.ts';

const signs = { added: '+', removed: '−', changed: '±' } as const;

class GwDiff extends element({
  changes: given<readonly FieldChange[]>([]),
  fresh: flag(),
}) {
  static override styles = [
    base,
    css`
      .box {
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
      }

      table {
        width: 100%;
        border-collapse: collapse;
        table-layout: fixed;
      }

      th,
      td {
        padding: 0.375rem 0.625rem;
        border-bottom: 1px solid var(--line);
        text-align: left;
        vertical-align: top;
      }

      tr:last-child > * {
        border-bottom: 0;
      }

      thead th {
        background: var(--sunken);
        color: var(--text-2);
        font-size: var(--text-s);
        font-weight: 500;
      }

      thead th {
        width: 30%;
      }

      thead th:first-child {
        width: 40%;
      }

      tbody th {
        font-weight: 500;
        overflow-wrap: anywhere;
      }

      /* Longer names continue next to the sign. */
      .signed {
        position: relative;
        padding-left: 1.5rem;
      }

      .signed > [aria-hidden] {
        position: absolute;
        left: 0.625rem;
      }

      td {
        font-family: var(--mono);
        font-size: var(--text-s);
        overflow-wrap: anywhere;
      }

      .before {
        background: var(--bad-soft);
        color: var(--bad);
      }

      .after {
        background: var(--good-soft);
        color: var(--good);
      }

      .before mark,
      .after mark {
        background: transparent;
        color: inherit;
        font-weight: 700;
        text-decoration: underline;
      }

      .none {
        color: var(--text-2);
        font-family: var(--font);
      }
    `,
  ];

  protected override render() {
    if (this.changes.length === 0) return html`<p class="quiet">No changes.</p>`;
    const shown = this.fresh ? this.changes.filter(isSet) : this.changes;
    return html`<div class="box">
      <table aria-label="Changes">
        <thead>
          <tr>
            <th scope="col">Field</th>
            ${this.fresh ? nothing : html`<th scope="col">Before</th>`}
            <th scope="col">${this.fresh ? 'Value' : 'After'}</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map(({ field, kind, before, after }) => {
            const words = wordsOf(field, { before, after });
            return html`<tr>
              <th scope="row" class=${this.fresh ? '' : 'signed'}>
                ${this.fresh ? nothing : html`<span aria-hidden="true">${signs[kind]}</span>`}
                <span title=${field}>${fieldLabel(field)}</span>
                ${this.fresh ? nothing : html`<span class="only-read">${kind}</span>`}
              </th>
              ${
                this.fresh
                  ? nothing
                  : html`<td class=${isNone(before) ? 'none' : 'before'}>
                      ${words.before.map(pieceOf)}
                    </td>`
              }
              <td class=${isNone(after) ? 'none' : this.fresh ? '' : 'after'}>
                ${words.after.map(pieceOf)}
              </td>
            </tr>`;
          })}
        </tbody>
      </table>
    </div>`;
  }
}

/** A missing value shares no words with another value. */
function wordsOf(
  field: string,
  { before, after }: Pick<FieldChange, 'before' | 'after'>,
): WordDiff {
  const [old, now] = [fieldValue(field, before), fieldValue(field, after)];
  if (!isNone(before) && !isNone(after)) return wordDiff(old, now);
  return { before: [{ text: old, isOther: false }], after: [{ text: now, isOther: false }] };
}

const pieceOf = ({ text, isOther }: Piece) => (isOther ? html`<mark>${text}</mark>` : text);

/** Unset prices and limits are shown in words. */
const isSet = ({ field, after }: FieldChange): boolean =>
  !(after === '' || (Array.isArray(after) && after.length === 0)) &&
  fieldValue(field, after) !== 'none';

const isNone = (value: unknown): boolean => value === undefined || value === null;

customElements.define('gw-diff', GwDiff);
