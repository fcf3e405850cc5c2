// Metrics: how fast, how much and how well, now by the reports of the replicas and over time by the requests that were recorded.

import { LitElement, css, html, nothing } from 'lit';

import { listModels } from '../api/models.ts';
import { getTimeseries } from '../api/usage.ts';
import '../elements/chart.ts';
import '../elements/icon.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import '../elements/range.ts';
import { Resource } from '../elements/resource.ts';
import { save } from '../elements/save-file.ts';
import { Watch } from '../elements/watch.ts';
import { bucketSecondsOf, edgesOf, isoEdges, readRange, writeRange } from '../lib/range.ts';
import type { Range } from '../lib/range.ts';
import { changeQuery, place } from '../state/location.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { charts } from './metrics/charts.ts';
import type { Chart } from './metrics/charts.ts';
import './metrics/live.ts';
import { panels } from './metrics/styles.ts';

const hours: Range = { kind: 'last', ms: 6 * 3_600_000 };

async function loadSeries(range: Range, model: string | undefined, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const bucket = bucketSecondsOf(edges);
  const { body, headers } = await getTimeseries({ ...isoEdges(edges), bucket, model }, signal);
  return { points: body, seconds: Number(headers.get('x-gw-bucket-seconds') ?? bucket) };
}

type Recorded = Awaited<ReturnType<typeof loadSeries>>;

class ScreenMetrics extends LitElement {
  static override styles = [
    base,
    buttons,
    controls,
    panels,
    css`
      .recorded {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        margin-bottom: var(--space-3);
      }

      .recorded h2 {
        flex: 1;
      }

      .recorded select {
        width: auto;
        max-width: 16rem;
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #series = new Resource(
    this,
    (signal) => loadSeries(this.#range(), this.#place.value.query['model'], signal),
    { pollMs: () => (this.#isPaused() ? null : 15_000) },
  );
  readonly #models = new Resource(this, listModels);

  #range(): Range {
    return readRange(this.#place.value.query['range'] ?? '') ?? hours;
  }

  #isPaused(): boolean {
    return this.#place.value.query['paused'] === '1';
  }

  protected override render() {
    return html`<gw-page
      heading="Metrics"
      about="How fast, how much and how well. What is not known is a gap, and never a zero."
    >
      <gw-range
        slot="actions"
        value=${writeRange(this.#range())}
        @gw-range=${({ detail }: CustomEvent<string>) => changeQuery({ range: detail })}
      ></gw-range>
      <button
        slot="actions"
        type="button"
        aria-pressed=${this.#isPaused()}
        @click=${() => changeQuery({ paused: this.#isPaused() ? null : '1' })}
      >
        <gw-icon name=${this.#isPaused() ? 'play' : 'pause'}></gw-icon
        >${this.#isPaused() ? 'Go on' : 'Pause'}
      </button>
      <button slot="actions" type="button" @click=${this.#dashboard}>
        <gw-icon name="download"></gw-icon>Grafana dashboard
      </button>
      <gw-live-metrics></gw-live-metrics>
      ${troubleOf(this.#series)} ${this.#head()}
      ${loaded(this.#series, (series) => html`<div class="charts">${charts.map((one) => this.#chart(one, series))}</div>`)}
    </gw-page>`;
  }

  #head() {
    const chosen = this.#place.value.query['model'];
    const models = this.#models.value ?? [];
    return html`<div class="recorded">
      <h2>Over time</h2>
      <select
        aria-label="Model"
        @change=${({ target }: Event) => {
          if (target instanceof HTMLSelectElement) changeQuery({ model: target.value });
        }}
      >
        <option value="">All models</option>
        ${
          chosen === undefined || models.some(({ name }) => name === chosen)
            ? nothing
            : html`<option value=${chosen} selected>${chosen}</option>`
        }
        ${models.map(
          ({ name }) => html`<option value=${name} ?selected=${name === chosen}>${name}</option>`,
        )}
      </select>
    </div>`;
  }

  #chart({ title, label, format, series }: Chart, { points, seconds }: Recorded) {
    return html`<section>
      <h3>${title}</h3>
      <gw-chart
        label=${label}
        group="metrics"
        .times=${points.map(({ at }) => Date.parse(at))}
        .format=${format}
        .series=${series.map((one) => ({
          label: one.label,
          values: points.map((point) => one.of(point, seconds)),
        }))}
        @gw-zoom=${this.#onZoom}
      ></gw-chart>
    </section>`;
  }

  readonly #onZoom = ({ detail }: CustomEvent<{ since: number; until: number }>): void =>
    changeQuery({ range: writeRange({ kind: 'between', ...detail }) });

  readonly #dashboard = async (): Promise<void> => {
    const { default: text } = await import('#dashboard?raw');
    save('gw-dashboard.json', 'application/json', text);
  };

  #asked: string | null = null;

  /** Asks anew when the address says something else, by whatever way it came there. */
  protected override willUpdate(): void {
    const { model = '', paused = '' } = this.#place.value.query;
    const asked = `${writeRange(this.#range())} ${model} ${paused}`;
    if (this.#asked !== null && asked !== this.#asked) void this.#series.reload();
    this.#asked = asked;
  }
}

customElements.define('gw-screen-metrics', ScreenMetrics);
