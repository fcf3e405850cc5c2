// Draws the upstream responses of each provider in the selected range.

import { html } from 'lit';

import type { UsageTotal } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import {
  formatDurationOfColumn,
  formatNumber,
  formatShareOfColumn,
} from '../../lib/text/format.ts';
import { answerClasses, failedShare } from '../../lib/observe/upstream.ts';
import { linkTo, place } from '../../state/location.ts';
import { keepView, tableView } from '../../state/table-view.ts';

const columns: readonly Column<UsageTotal>[] = [
  { id: 'provider', label: 'Provider', value: ({ key }) => key ?? 'no provider reached' },
  ...answerClasses.map(({ id, label }): Column<UsageTotal> => ({
    id,
    label: label === 'no response' ? 'No response' : label,
    end: true,
    value: (one) => one[id],
    cell: (one) => formatNumber(one[id]),
  })),
  {
    id: 'failed',
    label: 'Failed',
    end: true,
    value: (one) => failedShare(one),
    cell: (one) => {
      const share = failedShare(one);
      if (share === null) return html`<span class="quiet">no data</span>`;
      const text = formatShareOfColumn(share, 1);
      return share > 0.01 ? html`<gw-badge tone="bad">${text}</gw-badge>` : text;
    },
  },
  {
    id: 'p95_ms',
    label: 'p95',
    end: true,
    value: ({ p95_ms }) => p95_ms,
    cell: ({ p95_ms }) => formatDurationOfColumn(p95_ms),
  },
];

/** A row opens the charts of its provider. */
export const answers = (totals: readonly UsageTotal[], isStale: boolean) =>
  html`<gw-table
    label="Upstream responses by provider"
    noun="provider"
    .columns=${columns}
    .rows=${totals}
    .keyOf=${({ key }: UsageTotal) => key ?? ''}
    .hrefOf=${hrefOf}
    .chosen=${place.get().query['provider'] ?? null}
    .view=${tableView()}
    ?stale=${isStale}
    @gw-view=${keepView}
  ></gw-table>`;

const hrefOf = ({ key: provider }: UsageTotal): string | null =>
  provider === null
    ? null
    : linkTo({ screen: 'metrics', query: { ...place.get().query, provider } });
