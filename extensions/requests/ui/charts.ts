// Draws the shown requests over time, and their latencies and costs as histograms that narrow the filter.

import { html, nothing } from 'lit';

import {
  formatDuration,
  formatMoney,
  formatNumber,
  formatShort,
} from '../../../ui/lib/text/format.ts';
import { panel } from '../../../ui/parts/panel.ts';
import { linkTo } from '../../../ui/state/location.ts';
import type { Bar } from './bars.ts';
import type { Query } from './filters.ts';
import './histogram.ts';
import type { Loaded, Summary } from './load.ts';

type Parts = Readonly<{
  onZoom: (event: CustomEvent<{ since: number; until: number }>) => void;
  /** The query of the address. */
  query: Query;
}>;

const histograms = [
  { name: 'duration_ms', title: 'Latency', format: formatDuration },
  { name: 'cost_micros', title: 'Cost per request', format: (value: number) => formatMoney(value) },
  { name: 'tokens', title: 'Tokens per request', format: (value: number) => formatNumber(value) },
] as const;

export function chartsOf({ own, other }: Loaded, { onZoom, query }: Parts) {
  return html`<div class="charts">
      ${panel({
        title: 'Over time',
        level: 2,
        label: 'Requests over time',
        group: 'requests',
        times: own.times.map(({ at }) => Date.parse(at)),
        series: seriesOf(own, other),
        format: formatShort,
        onZoom,
      })}
      ${histograms.map(
        ({ name, title, format }) =>
          html`<section class="panel">
            <header>
              <h2>${title}</h2>
            </header>
            <gw-histogram
              label="${title}, choose a bar to filter"
              .bars=${own.histograms[name]}
              .others=${other === null ? null : other.histograms[name]}
              .format=${format}
              .hrefOf=${(bar: Pick<Bar, 'from' | 'below'>) => narrowed(query, name, bar)}
            ></gw-histogram>
          </section>`,
      )}
    </div>
    ${other === null ? nothing : html`<p class="part">With a comparison, bars are shares of each group.</p>`}`;
}

function seriesOf(own: Summary, other: Summary | null) {
  const requests = { label: 'requests', values: own.times.map((one) => one.requests) };
  if (other === null) {
    return [requests, { label: 'failed', values: own.times.map((one) => one.failed) }];
  }
  // The same place in the other range, which can have one bucket more or less.
  const values = own.times.map((_, index) => other.times[index]?.requests ?? null);
  return [requests, { label: 'compared with', values }];
}

/** The address of the view with only the requests of the bar. */
function narrowed(
  query: Query,
  name: string,
  { from, below }: Pick<Bar, 'from' | 'below'>,
): string {
  const { [`${name}_from`]: _from, [`${name}_below`]: _below, ...others } = query;
  return linkTo({
    screen: 'requests',
    query: {
      ...others,
      ...(from === 0 ? {} : { [`${name}_from`]: String(from) }),
      ...(below === null ? {} : { [`${name}_below`]: String(below) }),
    },
  });
}
