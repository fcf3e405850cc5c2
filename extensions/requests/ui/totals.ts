// Draws the totals of the shown requests as tiles, or next to those of another group as a table.

import { html, nothing } from 'lit';

import '../../../ui/elements/chart/kpi.ts';
import { formatSpend, joined } from '../../../ui/lib/observe/usage.ts';
import {
  formatDuration,
  formatMoneyShort,
  formatNumber,
  formatShare,
  formatShort,
} from '../../../ui/lib/text/format.ts';
import type { Loaded, Summary } from './load.ts';

const perRequest = ({ cost_micros: cost, priced }: Summary): number | null =>
  cost === null || priced === 0 ? null : cost / priced;

const failedShare = ({ failed, requests }: Summary): number | null =>
  requests === 0 ? null : failed / requests;

export function tiles(own: Summary) {
  const { requests, failed, cached, tokens, cost_micros, priced, duration_ms, ttft_ms } = own;
  const share = failedShare(own);
  const unpriced = requests - priced;
  return html`<div class="tiles">
    <gw-kpi label="Requests" value=${formatShort(requests)}
      >${cached === 0 ? '' : `${formatShort(cached)} from the cache`}</gw-kpi
    >
    <gw-kpi
      label="Failed"
      value=${formatShare(failed, requests)}
      tone=${share === null ? 'none' : share > 0.01 ? 'bad' : 'plain'}
      >${formatNumber(failed)} refused or with an error</gw-kpi
    >
    <gw-kpi
      label="Latency, median"
      value=${formatDuration(duration_ms?.p50 ?? null)}
      tone=${duration_ms === null ? 'none' : 'plain'}
      >${
        duration_ms === null
          ? ''
          : `p95 ${formatDuration(duration_ms.p95)}, p99 ${formatDuration(duration_ms.p99)}`
      }</gw-kpi
    >
    <gw-kpi
      label="First token, median"
      value=${formatDuration(ttft_ms?.p50 ?? null)}
      tone=${ttft_ms === null ? 'none' : 'plain'}
      >${ttft_ms === null ? '' : `p95 ${formatDuration(ttft_ms.p95)}`}</gw-kpi
    >
    <gw-kpi
      label="Cost"
      value=${formatMoneyShort(cost_micros)}
      tone=${cost_micros === null ? 'none' : 'plain'}
      >${joined(
        cost_micros === null ? '' : `${formatSpend(perRequest(own))} per request`,
        unpriced === 0 || requests === 0 ? '' : `${formatShort(unpriced)} unpriced`,
      )}</gw-kpi
    >
    <gw-kpi label="Tokens" value=${formatShort(tokens)}
      >${requests === 0 ? '' : `${formatShort(Math.round(tokens / requests))} per request`}</gw-kpi
    >
  </div>`;
}

type Measure = Readonly<{
  label: string;
  of: (summary: Summary) => number | null;
  format: (value: number | null) => string;
  /** A higher value is worse. */
  isCost?: true;
}>;

const measures: readonly Measure[] = [
  { label: 'Requests', of: ({ requests }) => requests, format: formatNumber },
  {
    label: 'Failed',
    of: failedShare,
    format: (share) => (share === null ? 'no data' : formatShare(share, 1)),
    isCost: true,
  },
  {
    label: 'Latency, median',
    of: ({ duration_ms }) => duration_ms?.p50 ?? null,
    format: formatDuration,
    isCost: true,
  },
  {
    label: 'Latency, p95',
    of: ({ duration_ms }) => duration_ms?.p95 ?? null,
    format: formatDuration,
    isCost: true,
  },
  {
    label: 'First token, median',
    of: ({ ttft_ms }) => ttft_ms?.p50 ?? null,
    format: formatDuration,
    isCost: true,
  },
  { label: 'Cost per request', of: perRequest, format: formatSpend, isCost: true },
  { label: 'Cost', of: ({ cost_micros }) => cost_micros, format: formatSpend },
  {
    label: 'Tokens per request',
    of: ({ tokens, requests }) => (requests === 0 ? null : tokens / requests),
    format: (value) => formatNumber(value),
  },
];

export function comparison({ own, other }: Loaded) {
  if (other === null) return nothing;
  return html`<div class="panel compared" role="region" aria-label="Compared totals" tabindex="0">
    <table aria-label="Comparison">
      <thead>
        <tr>
          <th scope="col"><span class="only-read">Measure</span></th>
          <th scope="col"><i class="own"></i>Shown</th>
          <th scope="col"><i class="other"></i>Other</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        ${measures.map(({ label, of, format, isCost }) => {
          const [one, two] = [of(own), of(other)];
          const change = changeOf(one, two);
          const tone =
            isCost !== true || change === null || Math.abs(change) < 0.05
              ? ''
              : change > 0
                ? 'worse'
                : 'better';
          return html`<tr>
            <th scope="row">${label}</th>
            <td>${format(one)}</td>
            <td>${format(two)}</td>
            <td class=${tone}>${changeText(change)}</td>
          </tr>`;
        })}
      </tbody>
    </table>
  </div>`;
}

/** Relative to the other group. Null if unknown. */
const changeOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null || other === 0 ? null : (one - other) / other;

function changeText(change: number | null): string {
  if (change === null) return '';
  if (change === 0) return 'equal';
  const text = formatShare(Math.abs(change), 1);
  return change > 0 ? `+${text}` : `−${text}`;
}
