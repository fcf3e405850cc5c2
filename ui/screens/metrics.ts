// Defines the Metrics screen: live values from the reports of replicas, and charts of recorded requests.

import { LitElement, css, html, nothing } from 'lit';

import { call, list } from '../api/http/call.ts';
import { widthOf } from '../api/usage.ts';
import '../elements/form/combobox.ts';
import '../elements/icon.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { save } from '../elements/table/save-file.ts';
import { Watch } from '../elements/watch.ts';
import { choicesOf } from '../lib/page/choices.ts';
import { bucketSecondsOf, edgesOf, isoEdges, readRange, writeRange } from '../lib/page/range.ts';
import type { Range } from '../lib/page/range.ts';
import { ChangeMarkers, routingKinds } from '../parts/change-markers.ts';
import { lookActions } from '../parts/look-actions.ts';
import { panel } from '../parts/panel.ts';
import { changeQuery, place } from '../state/location.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { panels } from '../styles/panels.ts';
import { answers } from './metrics/answers.ts';
import { chartsOf } from './metrics/charts.ts';
import './metrics/live.ts';

const text = {
  heading: 'Metrics',
  about: 'Traffic, latency and errors. Gaps mean no data.',
  recorded: 'Over time',
  allProviders: 'All providers',
  allModels: 'All models',
  responses: 'Upstream responses by provider',
};

const hours: Range = { kind: 'last', ms: 6 * 3_600_000 };

type Asked = Readonly<{ range: Range; model: string | undefined; provider: string | undefined }>;

async function loadRecorded({ range, model, provider }: Asked, signal: AbortSignal) {
  const edges = edgesOf(range, Date.now());
  const bucket = bucketSecondsOf(edges);
  const [series, providers] = await Promise.all([
    call('GET', '/admin/timeseries', {
      query: { ...isoEdges(edges), bucket, model, provider },
      signal,
    }),
    call('GET', '/admin/usage', {
      query: { ...isoEdges(edges), group_by: 'provider', limit: 1_000 },
      signal,
    }),
  ]);
  return {
    points: series.body,
    edges,
    widthMs: widthOf(series.headers, bucket),
    providers: providers.body,
  };
}

type Recorded = Awaited<ReturnType<typeof loadRecorded>>;

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
        flex: 1 0 auto;
      }

      .recorded gw-combobox {
        width: auto;
        max-width: 16rem;
      }

      @media (max-width: 640px) {
        .recorded h2 {
          flex-basis: 100%;
        }

        .recorded gw-combobox {
          flex: 1 1 0;
          min-width: 0;
        }
      }

      .by {
        margin: var(--space-6) 0 var(--space-3);
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #recorded = new Resource(this, (signal) => loadRecorded(this.#asked(), signal), {
    pollMs: 15_000,
    pausable: true,
    question: () => JSON.stringify({ ...this.#asked(), range: writeRange(this.#range()) }),
  });
  readonly #changes = new ChangeMarkers(this, {
    range: () => this.#range(),
    kinds: routingKinds,
  });
  readonly #models = new Resource(this, (signal) => list('/admin/provider-models', { signal }));

  #range(): Range {
    return readRange(this.#place.value.query['range'] ?? '') ?? hours;
  }

  #asked(): Asked {
    const { model, provider } = this.#place.value.query;
    return { range: this.#range(), model, provider };
  }

  protected override render() {
    return html`<gw-page heading=${text.heading} about=${text.about}>
      ${lookActions({
        range: this.#range(),
        shown: this.#recorded,
        choose: (range) => changeQuery({ range }),
      })}
      <button slot="actions" type="button" @click=${this.#dashboard}>
        <gw-icon name="download"></gw-icon>Grafana dashboard
      </button>
      <gw-live-metrics></gw-live-metrics>
      ${failureNotice(this.#recorded)} ${this.#head()}
      ${loaded(this.#recorded, (recorded) => this.#all(recorded))}
    </gw-page>`;
  }

  #head() {
    const { provider } = this.#place.value.query;
    const models = (this.#models.value ?? []).map(({ name }) => name);
    const providers = (this.#recorded.value?.providers ?? []).flatMap(({ key }) => key ?? []);
    return html`<div class="recorded">
      <h2>${text.recorded}</h2>
      ${this.#choice('provider', text.allProviders, providers)}
      ${this.#choice('model', text.allModels, models)}
      ${
        provider === undefined
          ? nothing
          : html`<button
              type="button"
              class="plain"
              @click=${() => changeQuery({ provider: null })}
            >
              Clear provider
            </button>`
      }
    </div>`;
  }

  /** The selected provider or model can be deleted. */
  #choice(name: 'model' | 'provider', all: string, names: readonly string[]) {
    const chosen = this.#place.value.query[name];
    const offered = chosen === undefined || names.includes(chosen) ? names : [chosen, ...names];
    return html`<gw-combobox
      label=${name === 'model' ? 'Model' : 'Provider'}
      .choices=${[{ value: '', label: all }, ...choicesOf(offered)]}
      .value=${chosen ?? ''}
      @gw-choose=${({ detail }: CustomEvent<string>) => changeQuery({ [name]: detail || null })}
    ></gw-combobox>`;
  }

  #all(recorded: Recorded) {
    const isOld = this.#recorded.isOld;
    const { times, drawn } = chartsOf(recorded);
    const markers = this.#changes.shown;
    const shared = { group: 'metrics', times, markers, onZoom: this.#onZoom };
    return html`<div class="shown ${isOld ? 'old' : ''}">
        <div class="charts">${drawn.map((one) => panel({ ...shared, ...one }))}</div>
      </div>
      <h2 class="by">${text.responses}</h2>
      ${answers(recorded.providers, isOld)}`;
  }

  readonly #onZoom = ({ detail }: CustomEvent<{ since: number; until: number }>): void =>
    changeQuery({ range: writeRange({ kind: 'between', ...detail }) });

  readonly #dashboard = async (): Promise<void> => {
    const { default: text } = await import('#dashboard?raw');
    save('gw-dashboard.json', 'application/json', text);
  };
}

customElements.define('gw-screen-metrics', ScreenMetrics);
