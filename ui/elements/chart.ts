// Series over time, by uPlot. What is not known is a gap and never a zero; lines differ by dashes too, not by colour alone; charts of
// one group share the cursor.

import { LitElement, css, html, unsafeCSS } from 'lit';
import type { PropertyValues } from 'lit';
import type uPlot from 'uplot';
import plotStyles from 'uplot/dist/uPlot.min.css?inline';

import { formatTime } from '../lib/format.ts';
import { lastKnownIndex, loneIndexes } from '../lib/series.ts';
import { theme, zone } from '../state/preferences.ts';
import { base } from '../styles/base.ts';
import { Watch } from './watch.ts';

export type Series = Readonly<{ label: string; values: readonly (number | null)[] }>;

const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [1, 2]];

export class GwChart extends LitElement {
  static override properties = {
    label: { type: String },
    times: { attribute: false },
    series: { attribute: false },
    format: { attribute: false },
    group: { type: String },
    height: { type: Number },
  };
  static override styles = [
    base,
    unsafeCSS(plotStyles),
    css`
      figure {
        margin: 0;
        min-width: 0;
      }

      .legend {
        display: flex;
        flex-wrap: wrap;
        gap: 0.125rem var(--space-4);
        margin-top: var(--space-1);
        color: var(--text-2);
        font-size: var(--text-s);
        font-variant-numeric: tabular-nums;
      }

      .legend li {
        display: flex;
        align-items: center;
        gap: 0.375rem;
      }

      .legend .at {
        margin-left: auto;
      }

      .legend svg {
        flex: none;
        width: 1.25rem;
        height: 0.5rem;
      }

      .legend strong {
        color: var(--text);
        font-weight: 500;
      }

      .plot {
        min-height: var(--plot-height);
      }

      .u-select {
        background: var(--accent-soft);
        opacity: 0.5;
      }
    `,
  ];
  declare label: string;
  /** Epoch milliseconds, ascending. */
  declare times: readonly number[];
  declare series: readonly Series[];
  declare format: (value: number | null) => string;
  /** Charts of one group show the same moment under the cursor. */
  declare group: string;
  declare height: number;
  readonly #zone = new Watch(this, zone);
  readonly #theme = new Watch(this, theme);
  readonly #resize = new ResizeObserver(() => this.#fit());
  #plot: uPlot | null = null;
  #at: number | null = null;

  constructor() {
    super();
    this.times = [];
    this.series = [];
    this.format = String;
    this.group = '';
    this.height = 180;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  protected override render() {
    const at = this.#at ?? lastKnownIndex(this.series);
    const time = this.times[at];
    return html`<figure aria-label="${this.label}, ${this.#theme.value} theme">
      <div class="plot"></div>
      <ul class="legend">
        ${this.series.map(
          ({ label, values }, index) =>
            html`<li>
              <svg aria-hidden="true" viewBox="0 0 20 8">
                <path
                  d="M0 4h20"
                  stroke="var(--series-${index + 1})"
                  stroke-width="2"
                  stroke-dasharray=${(dashes[index] ?? []).join(' ')}
                ></path></svg
              >${label} <strong>${this.format(values[at] ?? null)}</strong>
            </li>`,
        )}
        <li class="at">
          ${time === undefined ? '' : formatTime(new Date(time), this.#zone.value)}
        </li>
      </ul>
    </figure>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    this.style.setProperty('--plot-height', `${this.height}px`);
    const isCursor = changed.size === 0 && this.#plot !== null && !this.#isRestyled();
    if (!isCursor) void this.#draw();
  }

  #drawnWith = '';

  #isRestyled(): boolean {
    return this.#drawnWith !== `${this.#zone.value} ${this.#theme.value}`;
  }

  async #draw(): Promise<void> {
    this.#drawnWith = `${this.#zone.value} ${this.#theme.value}`;
    const { default: Plot } = await import('uplot');
    const place = this.renderRoot.querySelector<HTMLElement>('.plot');
    if (place === null || !this.isConnected) return;
    this.#plot?.destroy();
    const data: uPlot.AlignedData = [
      this.times.map((at) => at / 1_000),
      ...this.series.map(({ values }) => [...values]),
    ];
    this.#plot = new Plot(this.#options(place.clientWidth), data, place);
    this.#resize.observe(place);
  }

  #options(width: number): uPlot.Options {
    const styles = getComputedStyle(this);
    const colour = (name: string): string => styles.getPropertyValue(name).trim();
    const isUtc = this.#zone.value === 'utc';
    const axis = {
      stroke: colour('--text-2'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { show: false },
      font: `11px ${styles.fontFamily}`,
    };
    return {
      width,
      height: this.height,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: {
        points: { size: 6 },
        drag: { x: true, y: false, setScale: false },
        ...(this.group === '' ? {} : { sync: { key: this.group } }),
      },
      scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
      axes: [
        {
          ...axis,
          size: 26,
          values: (_plot, splits) => splits.map((at) => axisTime(at, splits, isUtc)),
        },
        { ...axis, size: 56, values: (_plot, splits) => splits.map((value) => this.format(value)) },
      ],
      series: [
        {},
        ...this.series.map(({ label, values }, index) => ({
          label,
          stroke: colour(`--series-${index + 1}`),
          width: 1.5,
          dash: [...(dashes[index] ?? [])],
          spanGaps: false,
          // A value between two gaps has no line, and is a point.
          points: { show: this.times.length < 3, filter: () => [...loneIndexes(values)] },
        })),
      ],
      hooks: {
        setCursor: [(plot) => this.#point(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#zoom(plot)],
      },
    };
  }

  #point(at: number | null): void {
    if (at === this.#at) return;
    this.#at = at;
    this.requestUpdate();
  }

  /** What was dragged over, told by `gw-zoom` as a range. */
  #zoom(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [since, until] = [left, left + width].map((px) =>
      Math.round(plot.posToVal(px, 'x') * 1_000),
    );
    this.dispatchEvent(new CustomEvent('gw-zoom', { detail: { since, until } }));
  }

  #fit(): void {
    const width = this.renderRoot.querySelector<HTMLElement>('.plot')?.clientWidth ?? 0;
    if (width > 0 && this.#plot?.width !== width)
      this.#plot?.setSize({ width, height: this.height });
  }
}

/** 24 hours, ISO order; the day where the range is longer than one. */
function axisTime(at: number, splits: readonly number[], isUtc: boolean): string {
  const text = formatTime(new Date(at * 1_000), isUtc ? 'utc' : 'local');
  const seconds = (splits.at(-1) ?? at) - (splits[0] ?? at);
  return seconds > 86_400 ? text.slice(5, 10) : text.slice(11, 16);
}

customElements.define('gw-chart', GwChart);

declare global {
  interface HTMLElementTagNameMap {
    'gw-chart': GwChart;
  }
}
