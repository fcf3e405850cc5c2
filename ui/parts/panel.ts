// A chart in its frame: its name, what is said beside it, and its series over the same times as those of its group.

import { html, nothing } from 'lit';

import '../elements/chart/chart.ts';
import type { Series } from '../elements/chart/chart-plot.ts';

type Panel = Readonly<{
  title: string;
  /** Of its heading: 2 where the charts are no part of something that has one. */
  level?: 2 | 3;
  /** The whole name, for who does not see what stands around it. */
  label: string;
  /** Beside the title. */
  note?: unknown;
  /** Epoch milliseconds, ascending. */
  times: readonly number[];
  series: readonly Series[];
  format: (value: number | null) => string;
  /** Charts of one group share the cursor. */
  group: string;
  height?: number;
  /** Shown in place of the chart when no value is known. */
  empty?: string;
  /** Its values span orders of magnitude: the axis can be logarithmic. */
  scaled?: boolean;
  onZoom?: (event: CustomEvent<{ since: number; until: number }>) => void;
}>;

/** For a grid of `.charts` (ui/styles/panels.ts). */
export const panel = (given: Panel) =>
  html`<section class="panel">
    <header>
      ${given.level === 2 ? html`<h2>${given.title}</h2>` : html`<h3>${given.title}</h3>`}
      ${given.note ?? nothing}
    </header>
    <gw-chart
      label=${given.label}
      group=${given.group}
      empty=${given.empty ?? 'No requests in this range'}
      ?scaled=${given.scaled === true}
      .height=${given.height ?? 180}
      .times=${given.times}
      .format=${given.format}
      .series=${given.series}
      @gw-zoom=${given.onZoom ?? (() => undefined)}
    ></gw-chart>
  </section>`;
