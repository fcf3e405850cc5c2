// The rows of one page of a table. Long pages draw only the visible rows, with spacers for the
// others.

import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

import { windowOf } from '../../lib/page/window.ts';
import type { Column } from './table-model.ts';
import { rowTick } from './table-ticks.ts';
import type { Ticks } from './table-ticks.ts';

type Key = string | number;

export type Body<Row> = Readonly<{
  rows: readonly Row[];
  before: number;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => Key;
  /** Null without a link. */
  hrefOf: (row: Row) => string | null;
  isMarked: (row: Row) => boolean;
  chosen: Key | null;
  /** Cards have labels and any height. */
  isCards: boolean;
  /** Null offers no ticks. */
  ticks: Ticks | null;
  scrolledPx: number;
}>;

const rowPx = 36;
/** Shorter pages are drawn completely. */
const drawnWholeMax = 120;
/** Longer pages are not shown as cards. */
export const cardsMax = 1_000;

export function tableBody<Row extends object>(body: Body<Row>) {
  const { rows, scrolledPx: topPx } = body;
  if (rows.length <= (body.isCards ? cardsMax : drawnWholeMax)) {
    return html`<tbody>
      ${repeat(rows, body.keyOf, (row, at) => drawnRow(row, at, body))}
    </tbody>`;
  }
  const part = windowOf({ count: rows.length, rowPx, topPx, heightPx: innerHeight });
  // Row elements are reused for other rows while scrolling.
  const inSight = rows.slice(part.from, part.to);
  return html`<tbody>
    ${spacer(part.above, body)} ${inSight.map((row, at) => drawnRow(row, part.from + at, body))}
    ${spacer(part.below, body)}
  </tbody>`;
}

function spacer<Row>(height: number, { columns, ticks }: Body<Row>) {
  if (height === 0) return nothing;
  const span = columns.length + (ticks === null ? 0 : 1);
  return html`<tr class="spacer" aria-hidden="true">
    <td colspan=${span} height=${height}></td>
  </tr>`;
}

function drawnRow<Row extends object>(row: Row, index: number, body: Body<Row>) {
  const { columns, ticks, before } = body;
  const key = body.keyOf(row);
  const href = body.hrefOf(row);
  const state = [
    key === body.chosen ? 'chosen' : '',
    href === null ? '' : 'linked',
    body.isMarked(row) ? 'marked' : '',
  ].join(' ');
  return html`<tr class=${state} aria-rowindex=${before + index + 2} @click=${openRow}>
    ${ticks === null ? nothing : rowTick({ key, name: columns[0]?.value(row) }, ticks)}
    ${columns.map(({ id, label, cell, value, end }, at) => {
      const drawn = cell?.(row) ?? String(value(row) ?? '');
      if (at > 0) {
        return html`<td
          class=${end === true ? 'end-cell' : ''}
          data-column=${id}
          data-label=${label}
        >
          ${drawn}
        </td>`;
      }
      return html`<th scope="row" class="first" data-column=${id}>
        ${href === null ? drawn : html`<a href=${href}>${drawn}</a>`}
      </th>`;
    })}
  </tr>`;
}

/** A click anywhere on a row opens its link, except while text is being selected. */
function openRow(event: MouseEvent): void {
  const row = event.currentTarget;
  const isOwn = event.composedPath().some((one) => one instanceof HTMLElement && isControl(one));
  if (isOwn || !(row instanceof HTMLElement) || String(getSelection()) !== '') return;
  row.querySelector('a')?.click();
}

const isControl = ({ localName }: HTMLElement): boolean =>
  ['a', 'button', 'input', 'gw-copy', 'gw-menu'].includes(localName);
