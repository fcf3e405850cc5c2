// Draws a chart in a frame with a heading and a note.

import { html, nothing } from 'lit';

import '../elements/chart/chart.ts';
import type { Series } from '../elements/chart/chart-plot.ts';
import type { Marker } from '../lib/observe/markers.ts';

type Panel = Readonly<{
  title: string;
  /** Use 2 where no heading is above the charts. */
  level?: 2 | 3;
  /** For screen readers. */
  label: string;
  /** Shown next to the title. */
  note?: unknown;
  /** Epoch milliseconds, ascending. */
  times: readonly number[];
  series: readonly Series[];
  format: (value: number | null) => string;
  /** Charts of a group share the cursor. */
  group: string;
  height?: number;
  /** Shown if no value is known. */
  empty?: string;
  /** The values span orders of magnitude, so the axis can be logarithmic. */
  scaled?: boolean;
  markers?: readonly Marker[];
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
      .markers=${given.markers ?? []}
      .times=${given.times}
      .format=${given.format}
      .series=${given.series}
      @gw-zoom=${given.onZoom ?? (() => undefined)}
    ></gw-chart>
  </section>`;
