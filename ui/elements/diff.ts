// What a save changes: field by field, what is there and what will be. Said in words and signs too, not by colour alone.

import { LitElement, css, html } from 'lit';

import type { FieldChange } from '../lib/change.ts';
import { base } from '../styles/base.ts';

const signs = { added: '+', removed: '−', changed: '±' } as const;

export class GwDiff extends LitElement {
  static override properties = { changes: { attribute: false } };
  static override styles = [
    base,
    css`
      .scroll {
        overflow-x: auto;
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
      }

      table {
        width: 100%;
        border-collapse: collapse;
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
        white-space: nowrap;
      }

      td {
        font-family: var(--mono);
        font-size: var(--text-s);
        overflow-wrap: anywhere;
      }

      .before {
        color: var(--bad);
      }

      .after {
        color: var(--good);
      }

      .none {
        color: var(--text-2);
        font-family: var(--font);
      }
    `,
  ];
  declare changes: readonly FieldChange[];

  constructor() {
    super();
    this.changes = [];
  }

  protected override render() {
    if (this.changes.length === 0) return html`<p class="quiet">Nothing changes.</p>`;
    return html`<div class="scroll" role="region" aria-label="Changes" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          ${this.changes.map(
            ({ field, kind, before, after }) =>
              html`<tr>
                <th scope="row">
                  <span aria-hidden="true">${signs[kind]}</span> ${field}
                  <span class="only-read">${kind}</span>
                </th>
                <td class=${isNone(before) ? 'none' : 'before'}>${written(before)}</td>
                <td class=${isNone(after) ? 'none' : 'after'}>${written(after)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }
}

const isNone = (value: unknown): boolean => value === undefined || value === null;

function written(value: unknown): string {
  if (isNone(value)) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

customElements.define('gw-diff', GwDiff);

declare global {
  interface HTMLElementTagNameMap {
    'gw-diff': GwDiff;
  }
}
