// Draws the totals of the range next to the previous period, and their charts.

import { html, nothing } from 'lit';

import type { SeriesPoint } from '../../api/records.ts';
import '../../elements/chart/kpi.ts';
import { bucketsOf, wholeSums } from '../../lib/observe/buckets.ts';
import {
  formatCount,
  formatDuration,
  formatMoneyShort,
  formatShare,
  formatShort,
} from '../../lib/text/format.ts';
import { latencySeries, latencyText } from '../../lib/observe/series.ts';
import {
  comparedText,
  failedBeforeText,
  formatSpend,
  joined,
  unpricedText,
} from '../../lib/observe/usage.ts';
import type { Marker } from '../../lib/observe/markers.ts';
import { panel } from '../../parts/panel.ts';
import type { Usage } from './load.ts';

export function tiles({ now, before }: Usage) {
  const { p95 } = now.latency;
  const none = now.requests === 0;
  const spendCompared = comparedText(now.costMicros, before.costMicros);
  return html`<div class="tiles">
    <gw-kpi
      label="Spend"
      value=${formatMoneyShort(now.costMicros)}
      tone=${now.costMicros === null ? 'none' : 'plain'}
      >${joined(unpricedText(now), spendCompared)}</gw-kpi
    >
    <gw-kpi label="Requests" value=${formatShort(now.requests)}
      >${joined(
        now.refused === 0 ? '' : `${formatShort(now.refused)} refused`,
        comparedText(now.requests, before.requests),
      )}</gw-kpi
    >
    <gw-kpi label="Tokens" value=${formatShort(now.tokens)}
      >${comparedText(now.tokens, before.tokens)}</gw-kpi
    >
    <gw-kpi label="p95 latency" value=${formatDuration(p95)} tone=${p95 === null ? 'none' : 'plain'}
      >${joined(latencyText(now.latency), comparedText(p95, before.latency.p95))}</gw-kpi
    >
    <gw-kpi
      label="Failed"
      value=${formatShare(now.failed, now.requests)}
      tone=${none ? 'none' : now.failed / now.requests > 0.01 ? 'bad' : 'plain'}
      >${joined(
        formatCount(now.failed, 'request'),
        now.failedAttempts > 0 ? formatCount(now.failedAttempts, 'failed attempt') : '',
        failedBeforeText(before),
      )}</gw-kpi
    >
  </div>`;
}

type Zoom = (event: CustomEvent<{ since: number; until: number }>) => void;

type Given = Readonly<{ markers: readonly Marker[]; onZoom: Zoom }>;

export function charts({ points, edges, widthMs, now }: Usage, given: Given) {
  const buckets = bucketsOf(points, { edges, widthMs });
  const sum = (label: string, of: (point: SeriesPoint) => number | null) => ({
    label,
    values: points.map(of),
  });
  const shared = { level: 2, group: 'usage', times: buckets.times, ...given } as const;
  return html`<div class="charts">
    ${panel({
      ...shared,
      title: 'Spend',
      label: 'Spend over time',
      note:
        now.unpriced === 0 ? nothing : html`<span class="note warn">${unpricedText(now)}</span>`,
      format: formatSpend,
      series: wholeSums([sum('spend', (one) => one.cost_micros)], buckets),
    })}
    ${panel({
      ...shared,
      title: 'Tokens',
      label: 'Tokens over time',
      format: formatShort,
      series: wholeSums(
        [
          sum('prompt', (one) => one.prompt_tokens),
          sum('completion', (one) => one.completion_tokens),
        ],
        buckets,
      ),
    })}
    ${panel({
      ...shared,
      title: 'Latency',
      label: 'Latency of successful requests',
      scaled: true,
      format: formatDuration,
      series: latencySeries(points),
    })}
  </div>`;
}
