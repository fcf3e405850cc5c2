// Defines the columns of a grouping.

import { html } from 'lit';

import { tokenParts } from '../../../src/usage/counts.ts';
import '../../elements/money.ts';
import type { Column } from '../../elements/table/table.ts';
import {
  formatDurationOfColumn,
  formatNumber,
  formatShareOfColumn,
} from '../../lib/text/format.ts';
import {
  changeOf,
  changeText,
  groupings,
  spendFormat,
  withoutKey,
} from '../../lib/observe/usage.ts';
import type { Grouping } from '../../lib/observe/usage.ts';
import {
  cachedShareOf,
  formatPart,
  isCorrected,
  otherCurrencies,
} from '../../lib/observe/usage-cost.ts';
import type { Group } from './load.ts';

const duration = (value: number | null) =>
  value === null ? html`<span class="quiet">no data</span>` : formatDurationOfColumn(value);

type Measure = 'avg_ms' | 'p50_ms' | 'p95_ms' | 'ttft_p95_ms';

const latency = (id: Measure, label: string, spare = false): Column<Group> => ({
  id,
  label,
  end: true,
  spare,
  value: (one) => one[id],
  cell: (one) => duration(one[id]),
});

const count = (
  id:
    | 'requests'
    | 'refused_requests'
    | 'prompt_tokens'
    | 'completion_tokens'
    | 'unpriced_requests'
    | 'estimated_requests'
    | 'estimated_prompt_tokens'
    | 'estimated_completion_tokens',
  label: string,
  spare = false,
): Column<Group> => ({
  id,
  label,
  end: true,
  spare,
  value: (one) => one[id],
  cell: (one) => formatNumber(one[id]),
});

const notReported = html`<span class="quiet">not reported</span>`;

/** The counts of all kinds that are parts of the two totals. */
const parts: readonly Column<Group>[] = tokenParts.map(({ name, label }) => ({
  id: name,
  label,
  end: true,
  spare: true,
  value: (one) => one[name],
  cell: (one) => (one[name] === null ? notReported : formatPart(one[name])),
}));

const cachedShare = (groups: readonly Group[]): Column<Group> => ({
  id: 'cached_share',
  label: 'Cached',
  help: 'The share of prompt tokens that the provider read from its cache.',
  end: true,
  spare: !groups.some((one) => cachedShareOf(one) !== null),
  value: cachedShareOf,
  cell: (one) =>
    cachedShareOf(one) === null
      ? notReported
      : formatShareOfColumn(one.cache_read_tokens ?? 0, one.prompt_tokens),
});

/** Spend is in US dollars, as booked. These are shown if they differ. */
const otherCosts = (groups: readonly Group[]): readonly Column<Group>[] => {
  const formatSpend = spendFormat(groups.map((one) => one.corrected_cost_micros));
  return [
    {
      id: 'corrected_cost_micros',
      label: 'Corrected spend',
      help: 'Spend after corrections. The column Spend has the cost with which requests were booked.',
      end: true,
      spare: !groups.some(isCorrected),
      value: (one) => one.corrected_cost_micros,
      cell: ({ corrected_cost_micros: cost }) =>
        cost === null ? html`<gw-money .micros=${null}></gw-money>` : formatSpend(cost),
    },
    {
      id: 'other_currencies',
      label: 'Other currencies',
      help: 'Spend at prices in other currencies, after corrections. It is not part of Spend.',
      end: true,
      spare: !groups.some((one) => otherCurrencies(one) !== ''),
      value: otherCurrencies,
    },
  ];
};

/** Days have no previous period. */
const change: Column<Group> = {
  id: 'change',
  label: 'Change',
  end: true,
  value: changeOf,
  cell: (one) => html`<span class="quiet">${changeText(one)}</span>`,
};

/**
 * `spend` is the total of all groups, including those that are not loaded. Columns of refusals and failed attempts are hidden if all are
 * zero.
 */
export function columnsOf(
  grouping: Grouping,
  { groups, spend }: Readonly<{ groups: readonly Group[]; spend: number }>,
): readonly Column<Group>[] {
  const formatSpend = spendFormat(groups.map(({ cost_micros }) => cost_micros));
  const hasRefused = groups.some(({ refused_requests }) => refused_requests > 0);
  const hasFailed = groups.some(({ failed_attempts }) => (failed_attempts ?? 0) > 0);
  const hasEstimates = groups.some(({ estimated_requests }) => estimated_requests > 0);
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
    ...otherCosts(groups),
    count('unpriced_requests', 'Unpriced'),
    {
      id: 'share',
      label: '% of spend',
      end: true,
      value: ({ cost_micros }) =>
        spend === 0 || cost_micros === null ? null : cost_micros / spend,
      cell: ({ cost_micros }) =>
        cost_micros === null ? '' : formatShareOfColumn(cost_micros, spend),
    },
    ...(grouping === 'day' ? [] : [change]),
    count('requests', 'Requests'),
    count('refused_requests', 'Refused', !hasRefused),
    {
      id: 'failed_attempts',
      label: 'Failed attempts',
      help: 'Attempts at backends that failed. Another backend answered, or the request failed.',
      end: true,
      spare: !hasFailed,
      value: ({ failed_attempts }) => failed_attempts,
      cell: ({ failed_attempts }) =>
        failed_attempts === null
          ? html`<span class="quiet">no data</span>`
          : formatNumber(failed_attempts),
    },
    count('prompt_tokens', 'Prompt tokens'),
    cachedShare(groups),
    count('completion_tokens', 'Completion tokens'),
    ...parts,
    count('estimated_requests', 'Estimated requests', !hasEstimates),
    count('estimated_prompt_tokens', 'Estimated prompt tokens', !hasEstimates),
    count('estimated_completion_tokens', 'Estimated completion tokens', !hasEstimates),
    latency('avg_ms', 'Average'),
    latency('p50_ms', 'p50', true),
    latency('p95_ms', 'p95'),
    latency('ttft_p95_ms', 'First token p95', true),
  ];
}
