// Draws series over time with uPlot. Unknown values are gaps. A table shows the same values.

import { html, nothing, unsafeCSS } from 'lit';
import type uPlot from 'uplot';
import plotStyles from 'uplot/dist/uPlot.min.css?inline';

import { element, count, flag, given, state, text } from '../element.ts';
import { formatTime, formatZone } from '../../lib/text/format.ts';
import {
  alignedOf,
  isKnown,
  isSameData,
  lastKnownIndex,
  logarithmsOf,
} from '../../lib/observe/series.ts';
import type { Axis, Marker } from '../../lib/observe/markers.ts';
import { rowsOf, summaryOf } from '../../lib/observe/series-text.ts';
import { axisScale, theme, zone } from '../../state/preferences.ts';
import { base, buttons } from '../../styles/base.ts';
import { dashes, plotOptions } from './chart-plot.ts';
import type { Series } from './chart-plot.ts';
import { chartStyles } from './chart-styles.ts';
import { Watch } from '../watch.ts';

let isPainted = false;

/** Loaded after the first paint. */
async function plotCode(): Promise<typeof uPlot> {
  if (!isPainted) await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  isPainted = true;
  const { default: Plot } = await import('uplot');
  return Plot;
}

class GwChart extends element({
  label: text(),
  /** Epoch milliseconds, ascending. */
  times: given<readonly number[]>([]),
  series: given<readonly Series[]>([]),
  format: given<(value: number | null) => string>(String),
  /** Charts of a group share the cursor. */
  group: text(''),
  height: count<number>(180),
  /** The axis can be logarithmic. */
  scaled: flag(),
  /** Shown if no value is known. */
  empty: text('No data'),
  /** Changes to mark on the time axis. */
  markers: given<readonly Marker[]>([]),
  axis: state<Axis | null>(null),
  asTable: state(false),
  hiddenLines: state<ReadonlySet<string>>(),
}) {
  static override styles = [base, buttons, unsafeCSS(plotStyles), chartStyles];
  readonly #zone = new Watch(this, zone);
  readonly #theme = new Watch(this, theme);
  readonly #scale = new Watch(this, axisScale);
  readonly #resize = new ResizeObserver(() => this.#fit());
  #plot: uPlot | null = null;
  #at: number | null = null;
  #drawnWith = '';

  constructor() {
    super();
    this.hiddenLines = new Set();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#forget();
  }

  #forget(): void {
    this.#resize.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #isLog(): boolean {
    return this.scaled && this.#scale.value === 'log';
  }

  protected override render() {
    if (!this.series.some(isKnown)) {
      return html`<p class="none">${this.empty}</p>`;
    }
    return html`<figure aria-label=${this.label}>
      ${this.asTable ? this.#table() : this.#picture()}
      <ul class="legend">
        ${this.#legend()}
        <li class="at">${this.#moment()}</li>
      </ul>
      <div class="turns">
        ${this.scaled && !this.asTable ? this.#scaleButton() : nothing}
        <button
          type="button"
          class="plain"
          aria-label="${this.label}: ${this.#view()}"
          @click=${this.#onTable}
        >
          ${this.asTable ? 'Chart' : 'Table'}
        </button>
      </div>
    </figure>`;
  }

  #view(): string {
    return this.asTable ? 'View as chart' : 'View as table';
  }

  #scaleButton() {
    return html`<button
      type="button"
      class="plain"
      aria-label="${this.label}: Log axis"
      aria-pressed=${this.#isLog()}
      @click=${() => axisScale.set(this.#isLog() ? 'linear' : 'log')}
    >
      Log
    </button>`;
  }

  #picture() {
    const first = this.times[0];
    const zoned = first === undefined ? '' : formatZone(new Date(first), this.#zone.value);
    return html`<div
        class="plot"
        role="img"
        aria-label="${this.label}: ${summaryOf(this.series, this.format)}"
      ></div>
      ${this.axis === null || this.markers.length === 0 ? nothing : this.#marks(this.axis)}
      ${
        zoned === ''
          ? nothing
          : html`<span class="zone ${zoned.length > 3 ? 'long' : ''}">${zoned}</span>`
      }`;
  }

  #marks(axis: Axis) {
    void import('./markers.ts');
    return html`<gw-chart-markers .markers=${this.markers} .axis=${axis}></gw-chart-markers>`;
  }

  #legend() {
    const at = this.#at ?? lastKnownIndex(this.series);
    return this.series.map(({ label, values }, index) => {
      const line = html`<svg aria-hidden="true" viewBox="0 0 20 8">
          <path
            d="M0 4h20"
            stroke="var(--series-${index + 1})"
            stroke-width="2"
            stroke-dasharray=${(dashes[index] ?? []).join(' ')}
          ></path></svg
        >${label} <strong>${this.format(values[at] ?? null)}</strong>`;
      if (this.series.length === 1) return html`<li>${line}</li>`;
      return html`<li>
        <button
          type="button"
          class="plain line"
          title="Hide or show"
          aria-pressed=${!this.hiddenLines.has(label)}
          @click=${() => this.#turn(label)}
        >
          ${line}
        </button>
      </li>`;
    });
  }

  #turn(label: string): void {
    this.hiddenLines = this.hiddenLines.symmetricDifference(new Set([label]));
  }

  #moment(): string {
    const time = this.times[this.#at ?? lastKnownIndex(this.series)];
    return time === undefined ? '' : formatTime(new Date(time), this.#zone.value);
  }

  #table() {
    return html`<div class="values" role="region" tabindex="0" aria-label="${this.label}, values">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            ${this.series.map(({ label }) => html`<th scope="col">${label}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rowsOf(this.times, this.series).map(
            ({ at, values }) =>
              html`<tr>
                <th scope="row">${formatTime(new Date(at), this.#zone.value)}</th>
                ${values.map((value) => html`<td>${this.format(value)}</td>`)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
  }

  readonly #onTable = (): void => {
    this.asTable = !this.asTable;
    this.#forget();
  };

  protected override updated(): void {
    this.style.setProperty('--plot-height', `${this.height}px`);
    if (!this.asTable) void this.#draw();
  }

  /** An existing chart gets new values in place, so that the cursor stays. */
  async #draw(): Promise<void> {
    const Plot = await plotCode().catch(() => null);
    const place = this.renderRoot.querySelector<HTMLElement>('.plot');
    if (place === null) this.#forget();
    if (place === null || !this.isConnected) return;
    if (Plot === null) {
      // The table needs no chart code, which is loaded again on demand.
      this.asTable = true;
      return;
    }
    const series = this.#isLog() ? logarithmsOf(this.series) : this.series;
    const data = alignedOf(this.times, series);
    const look = this.#look();
    if (this.#plot === null || look !== this.#drawnWith) {
      this.#plot?.destroy();
      this.#plot = new Plot(this.#options(place.clientWidth), data, place);
      this.#drawnWith = look;
      this.#resize.observe(place);
    } else if (!isSameData(this.#plot.data, data)) {
      this.#plot.setData(data);
    }
  }

  /** Everything except the values. A change draws the chart again. */
  #look(): string {
    const ink = getComputedStyle(this).getPropertyValue('--text-2');
    const labels = this.series.map(({ label }) => label);
    const lines = [labels, [...this.hiddenLines], this.#isLog()];
    return JSON.stringify([this.#zone.value, this.#theme.value, ink, this.height, lines]);
  }

  readonly #options = (width: number): uPlot.Options =>
    plotOptions({
      width,
      height: this.height,
      group: this.group,
      zone: this.#zone.value,
      labels: this.series.map(({ label }) => label),
      hidden: this.hiddenLines,
      isLog: this.#isLog(),
      format: (value) => this.format(value),
      styles: getComputedStyle(this),
      onCursor: (index) => this.#point(index),
      onDraw: (plot) => this.#place(plot),
      onSelect: (since, until) =>
        this.dispatchEvent(new CustomEvent('gw-zoom', { detail: { since, until } })),
    });

  /** Keeps the place of the plot, for the marks of changes. */
  #place({ over, scales: { x } }: uPlot): void {
    const { offsetLeft: left, offsetTop: top, clientWidth: width, clientHeight: height } = over;
    for (const [name, px] of Object.entries({ left, top, width, height })) {
      this.style.setProperty(`--plot-area-${name}`, `${px}px`);
    }
    const [since, until] = [1_000 * (x?.min ?? 0), 1_000 * (x?.max ?? 0)];
    const isSame =
      this.axis?.since === since && this.axis.until === until && this.axis.width === width;
    if (!isSame) this.axis = { since, until, width };
  }

  #point(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    this.requestUpdate();
  }

  #fit(): void {
    const width = this.renderRoot.querySelector<HTMLElement>('.plot')?.clientWidth ?? 0;
    if (width > 0 && this.#plot?.width !== width)
      this.#plot?.setSize({ width, height: this.height });
  }
}

customElements.define('gw-chart', GwChart);
