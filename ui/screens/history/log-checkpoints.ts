// Draws the signed checkpoints of the log and the keys that signed them.

import { html } from 'lit';

import type { Checkpoints } from '../../api/log.ts';
import '../../elements/copy.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import '../../elements/time.ts';
import type { TableView } from '../../lib/page/table-view.ts';
import { keepView } from '../../state/table-view.ts';

type Signed = Checkpoints['checkpoints'][number];

const columns: readonly Column<Signed>[] = [
  { id: 'position', label: 'Position', value: ({ position }) => position },
  {
    id: 'created_at',
    label: 'Signed',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time absolute at=${created_at}></gw-time>`,
  },
  {
    id: 'note',
    label: 'Note',
    value: ({ note }) => note,
    cell: ({ note }) =>
      html`<code class="quiet">${note.split('\n')[2]?.slice(0, 16)}…</code
        ><gw-copy text=${note} label="checkpoint"></gw-copy>`,
  },
];

export function logCheckpoints({ origin, keys, checkpoints }: Checkpoints, view: TableView) {
  return html`<div class="section"><h2>Signed checkpoints</h2></div>
    ${
      checkpoints.length === 0
        ? html`<p class="quiet">
            No checkpoints yet. Set an audit key to make the control plane sign the log at regular
            intervals. A checkpoint that you store elsewhere proves what the log contained.
          </p>`
        : html`<p class="notice">
              Signed under <code>${origin}</code>.
              ${keys.map(
                ({ since, public_key: key, verifier_key: verifier }) =>
                  html`<br />Key <code>${key.slice(0, 16)}…</code>, in use since position ${since}
                    <gw-copy text=${verifier} label="verifier key"></gw-copy>`,
              )}
            </p>
            <gw-table
              label="Signed checkpoints"
              noun="checkpoint"
              .columns=${columns}
              .rows=${checkpoints.toReversed()}
              .keyOf=${({ position }: Signed) => position}
              .view=${view}
              @gw-view=${keepView}
            ></gw-table>`
    }`;
}
