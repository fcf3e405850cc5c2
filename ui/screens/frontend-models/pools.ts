// Draws the list of pools and the drawer of one pool.

import { html, nothing } from 'lit';

import '../../elements/empty.ts';
import '../../elements/icon.ts';
import '../../elements/table/table.ts';
import { usersOf } from '../../lib/routing/pool.ts';
import { copyRecord } from '../../parts/copy-record.ts';
import { linkTo } from '../../state/location.ts';
import { keepView, tableView } from '../../state/table-view.ts';
import { poolColumns } from './columns.ts';
import type { PoolRow } from './columns.ts';
import type { Routing } from './load.ts';

export const poolsPart = 'pools';

export const poolRows = ({ pools, frontendModels }: Routing): readonly PoolRow[] =>
  pools.map((pool) => Object.assign({}, pool, { users: usersOf(pool, frontendModels) }));

type List = Readonly<{
  rows: readonly PoolRow[];
  chosen: number;
  isStale: boolean;
  bar: unknown;
  hrefOf: (pool: PoolRow) => string;
}>;

export const poolTable = ({ rows, chosen, isStale, bar, hrefOf }: List) =>
  html`<gw-table
    label="Pools"
    noun="pool"
    .columns=${poolColumns}
    .rows=${rows}
    .view=${tableView()}
    .hrefOf=${hrefOf}
    .chosen=${chosen}
    ?stale=${isStale}
    @gw-view=${keepView}
    >${bar}</gw-table
  >`;

/** `add` is null if the user cannot create a pool. */
export const noPools = (add: string | null) =>
  html`<gw-empty heading="No pools yet" icon="layers">
    <span slot="about"
      >A pool is a group of interchangeable models. Rules use it as a target, and its policy selects
      the member that serves a request.</span
    >
    ${
      add === null
        ? nothing
        : html`<a class="button primary" href=${add}>Create pool</a>
            <a class="button" href=${linkTo({ screen: 'frontend-models' })}
              >Go to frontend models</a
            >`
    }
  </gw-empty>`;

type Changed = Readonly<{ edit: string; remove: () => void }>;

/** `changed` is null if the user cannot edit, for example in a past version. */
export function poolActions(pool: PoolRow, changed: Changed | null) {
  const { users: _users, ...record } = pool;
  const copy = copyRecord(poolsPart, record);
  if (changed === null) return copy;
  return html`${copy}<a slot="actions" class="button" href=${changed.edit}
      ><gw-icon name="pencil"></gw-icon>Edit</a
    >
    <button slot="actions" type="button" class="plain danger" @click=${changed.remove}>
      <gw-icon name="trash-2"></gw-icon>Delete
    </button>`;
}
