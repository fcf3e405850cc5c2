// The columns of a grouping.

import { html } from 'lit';

import type { UsageTotal } from '../../api/usage.ts';
import '../../elements/money.ts';
import type { Column } from '../../elements/table.ts';
import { formatDuration, formatNumber, formatShare } from '../../lib/format.ts';
import { formatSpend, groupings, withoutKey } from '../../lib/usage.ts';
import type { Grouping } from '../../lib/usage.ts';

const duration = (value: number | null) =>
  value === null ? html`<span class="quiet">no data</span>` : formatDuration(value);

type Measure = 'avg_ms' | 'p50_ms' | 'p95_ms' | 'ttft_p95_ms';

const latency = (id: Measure, label: string, spare = false): Column<UsageTotal> => ({
  id,
  label,
  end: true,
  spare,
  value: (one) => one[id],
  cell: (one) => duration(one[id]),
});

const count = (
  id: 'requests' | 'refused_requests' | 'prompt_tokens' | 'completion_tokens' | 'unpriced_requests',
  label: string,
  spare = false,
): Column<UsageTotal> => ({
  id,
  label,
  end: true,
  spare,
  value: (one) => one[id],
  cell: (one) => formatNumber(one[id]),
});

/** The share is that of all groups' spend. Refusals are shown where there are any. */
export function columnsOf(
  grouping: Grouping,
  groups: readonly UsageTotal[],
): readonly Column<UsageTotal>[] {
  const spend = groups.reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0);
  const hasRefused = groups.some(({ refused_requests }) => refused_requests > 0);
  const label = groupings.find(({ value }) => value === grouping)?.label ?? '';
  return [
    { id: 'key', label, value: ({ key }) => key ?? withoutKey[grouping] },
    {
      id: 'cost_micros',
      label: 'Spend',
      end: true,
      value: ({ cost_micros }) => cost_micros,
      cell: ({ cost_micros }) =>
        cost_micros === null
          ? html`<gw-money .micros=${null}></gw-money>`
          : formatSpend(cost_micros),
    },
    count('unpriced_requests', 'Unpriced'),
    {
      id: 'share',
      label: 'Of spend',
      end: true,
      value: ({ cost_micros }) =>
        spend === 0 || cost_micros === null ? null : cost_micros / spend,
      cell: ({ cost_micros }) => (cost_micros === null ? '' : formatShare(cost_micros, spend)),
    },
    count('requests', 'Requests'),
    count('refused_requests', 'Refused', !hasRefused),
    count('prompt_tokens', 'Prompt tokens'),
    count('completion_tokens', 'Completion tokens'),
    latency('avg_ms', 'Average'),
    latency('p50_ms', 'p50', true),
    latency('p95_ms', 'p95'),
    latency('ttft_p95_ms', 'First token p95', true),
  ];
}
