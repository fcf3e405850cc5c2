// Defines the Routing screen: the way of requests from frontend models to providers, with traffic and health, at any version, and the
// difference of two versions.

import { LitElement, css, html, nothing } from 'lit';

import '../elements/empty.ts';
import '../elements/form/combobox.ts';
import '../elements/icon.ts';
import { failureNotice, loaded } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { Watch } from '../elements/watch.ts';
import { recordChoices } from '../lib/page/choices.ts';
import { readRange } from '../lib/page/range.ts';
import { graphOf, keyOf } from '../lib/routing/map/graph.ts';
import type { Graph } from '../lib/routing/map/graph.ts';
import { withHealth, withTraffic } from '../lib/routing/map/live.ts';
import { changedRoots, compared, folded, reachedFrom, rootsOf } from '../lib/routing/map/shown.ts';
import { formatCount, formatNumber, formatTime } from '../lib/text/format.ts';
import { lookActions } from '../parts/look-actions.ts';
import { asOf, isReadOnly } from '../state/as-of.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { isPhone } from '../state/phone.ts';
import { zone } from '../state/preferences.ts';
import { may } from '../state/session.ts';
import { base, buttons, controls } from '../styles/base.ts';
import { loadCompared, loadConfiguration, loadLive } from './routing/load.ts';
import type { Loaded } from './routing/load.ts';
import './routing/picture.ts';
import './routing/tree.ts';

const text = {
  heading: 'Routing map',
  about: 'How requests get from frontend models to providers.',
  every: 'All frontend models',
  changed: 'Only what changed',
  noCompare: 'Compare with…',
  empty: 'No frontend models yet',
  emptyAbout:
    'Once a frontend model has targets, this screen shows the way of its requests through rules, pools and models to providers.',
  add: 'Create frontend model',
  unchanged: 'Nothing in the routing differs between the two versions.',
  key: 'Line width: requests. Solid: first target. Dashed: later targets. Dotted: jumps. Red share: failed requests.',
};

const hour = { kind: 'last', ms: 3_600_000 } as const;
/** Without a choice, up to this many rules or models are drawn one by one. */
const rulesMax = 16;
const modelsMax = 24;

const onlyChanged = 'changed';

type Folds = Readonly<{ rules: boolean; models: boolean }>;

class ScreenRouting extends LitElement {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-2);
        margin-bottom: var(--space-4);
      }

      .bar gw-combobox {
        width: 15rem;
      }

      .bar [aria-pressed='true'] {
        border-color: var(--accent);
        background: var(--accent-soft);
        color: var(--accent-text);
      }

      .right {
        margin-left: auto;
      }

      .key {
        margin-top: var(--space-4);
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .key p + p {
        margin-top: 0.125rem;
      }

      @media (max-width: 640px) {
        .bar gw-combobox {
          flex: 1 1 100%;
        }
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #zone = new Watch(this, zone);
  readonly #phone = new Watch(this, isPhone);
  readonly #configuration = new Resource(this, (signal) => loadConfiguration(null, signal), {
    pollMs: 30_000,
  });
  readonly #compared = new Resource(
    this,
    (signal) => loadCompared(this.#place.value.query['compare'], signal),
    { question: () => this.#place.value.query['compare'] ?? '' },
  );
  readonly #live = new Resource(
    this,
    (signal) => loadLive({ range: this.#range(), moment: asOf() }, signal),
    {
      pollMs: () => (asOf() === null ? 10_000 : null),
      pausable: true,
      question: () => `${this.#place.value.query['range']} ${asOf()}`,
    },
  );

  #range() {
    return readRange(this.#place.value.query['range'] ?? '');
  }

  protected override render() {
    return html`<gw-page heading=${text.heading} about=${text.about}>
      ${lookActions({
        range: this.#range() ?? hour,
        shown: this.#live,
        choose: (range) => changeQuery({ range }),
      })}
      ${failureNotice(this.#configuration)} ${failureNotice(this.#compared)}
      ${failureNotice(this.#live)} ${loaded(this.#configuration, (all) => this.#all(all))}
    </gw-page>`;
  }

  #all(all: Loaded) {
    if (all.frontendModels.length === 0 && this.#compared.value?.configuration === null) {
      return this.#empty();
    }
    const { graph, elsewhere } = this.#graph(all);
    const roots = this.#roots(graph);
    const narrowed = reachedFrom(graph, roots);
    const folds = this.#folds(narrowed);
    const shown = folded(narrowed, folds);
    const isList = this.#isList();
    const before = this.#place.value.query['compare'] ?? '';
    const isCounted = this.#live.value !== undefined;
    return html`${this.#bar(all, folds)}
    ${roots.length === 0 && before !== '' ? html`<p class="quiet">${text.unchanged}</p>` : nothing}
    ${
      isList
        ? html`<gw-route-tree
            .graph=${narrowed}
            compared=${before}
            ?counted=${isCounted}
          ></gw-route-tree>`
        : html`<gw-route-picture
            .graph=${shown}
            compared=${before}
            ?counted=${isCounted}
          ></gw-route-picture>`
    }
    ${this.#key({ all, graph, elsewhere })}`;
  }

  #graph(all: Loaded): ReturnType<typeof withTraffic> {
    const own = graphOf(all, nameIn(all));
    const past = this.#compared.value?.configuration ?? null;
    const isAsked = this.#place.value.query['compare'] !== undefined;
    const both = past === null || !isAsked ? own : compared(own, graphOf(past, nameIn(past)));
    const live = this.#live.value;
    const { seen = null } = live ?? {};
    const healthy = seen === null ? both : withHealth(both, all, { seen, now: Date.now() });
    return withTraffic(healthy, live?.flows ?? []);
  }

  #roots(graph: Graph): readonly string[] {
    const chosen = this.#place.value.query['model'] ?? '';
    if (chosen === onlyChanged) return changedRoots(graph);
    return chosen === '' ? rootsOf(graph) : [keyOf('frontend', Number(chosen))];
  }

  #folds({ nodes }: Graph): Folds {
    const { show } = this.#place.value.query;
    if (show !== undefined) {
      const shown = show.split(',');
      return { rules: !shown.includes('rules'), models: !shown.includes('models') };
    }
    const count = (column: string) =>
      [...nodes.values()].filter((node) => node.column === column).length;
    return { rules: count('rule') > rulesMax, models: count('model') > modelsMax };
  }

  #isList(): boolean {
    const { view } = this.#place.value.query;
    return view === undefined ? this.#phone.value : view === 'list';
  }

  #bar({ frontendModels }: Loaded, folds: Folds) {
    const { model = '', compare = '' } = this.#place.value.query;
    const isList = this.#isList();
    return html`<div class="bar">
      <gw-combobox
        label="Frontend model"
        .choices=${[
          { value: '', label: text.every },
          ...(compare === '' ? [] : [{ value: onlyChanged, label: text.changed }]),
          ...recordChoices(frontendModels),
        ]}
        .value=${model}
        @gw-choose=${({ detail }: CustomEvent<string>) => changeQuery({ model: detail || null })}
      ></gw-combobox>
      <gw-combobox
        label="Compare with"
        .choices=${this.#versions(compare)}
        .value=${compare}
        @gw-choose=${this.#onCompare}
      ></gw-combobox>
      ${isList ? nothing : html`${this.#fold('rules', folds)} ${this.#fold('models', folds)}`}
      <button
        type="button"
        class="right"
        @click=${() => changeQuery({ view: isList ? 'picture' : 'list' })}
      >
        <gw-icon name=${isList ? 'workflow' : 'list-tree'}></gw-icon>${isList ? 'Picture' : 'List'}
      </button>
    </div>`;
  }

  #fold(part: keyof Folds, folds: Folds) {
    return html`<button
      type="button"
      aria-pressed=${!folds[part]}
      @click=${() => {
        const shown = (['rules', 'models'] as const).filter((one) => (one === part) === folds[one]);
        changeQuery({ show: shown.join(',') || 'none' });
      }}
    >
      ${part === 'rules' ? 'Rules' : 'Models'}
    </button>`;
  }

  #versions(compare: string) {
    const offered = (this.#compared.value?.versions ?? []).map(
      ({ version, created_at, made_by }) => ({
        value: String(version),
        label: [
          `v${version}`,
          formatTime(new Date(created_at), this.#zone.value).slice(0, 16),
          made_by === null ? '' : `${made_by.actor_name ?? made_by.actor_kind}: ${made_by.command}`,
        ].join(' '),
      }),
    );
    const isKnown = compare === '' || offered.some(({ value }) => value === compare);
    return [
      { value: '', label: text.noCompare },
      ...(isKnown ? [] : [{ value: compare, label: compare }]),
      ...offered,
    ];
  }

  readonly #onCompare = ({ detail }: CustomEvent<string>): void => {
    const { model = '' } = this.#place.value.query;
    const isChanged = model === '' || model === onlyChanged;
    changeQuery({
      compare: detail || null,
      ...(isChanged ? { model: detail === '' ? null : onlyChanged } : {}),
    });
  };

  #key({ all, graph, elsewhere }: Readonly<{ all: Loaded; graph: Graph; elsewhere: number }>) {
    const used = reachedFrom(graph, rootsOf(graph)).nodes;
    const unused = all.models.filter(({ id }) => !used.has(keyOf('model', id))).length;
    const live = this.#live.value;
    const isCut = live !== undefined && live.since !== live.asked.since;
    return html`<div class="key">
      <p>${text.key}</p>
      ${
        isCut
          ? html`<p>
              Counts the newest requests, since
              ${formatTime(new Date(live.since), this.#zone.value)}.
            </p>`
          : nothing
      }
      ${
        elsewhere === 0
          ? nothing
          : html`<p>
              ${formatCount(elsewhere, 'request')} took a way that this configuration does not have.
            </p>`
      }
      ${
        unused === 0
          ? nothing
          : html`<p>
              <a href=${linkTo({ screen: 'models' })}
                >${formatCount(unused, 'model')} of ${formatNumber(all.models.length)}</a
              >
              cannot be reached through a frontend model.
            </p>`
      }
    </div>`;
  }

  #empty() {
    return html`<gw-empty
      heading=${text.empty}
      icon="workflow"
      command="gw import --config config.yaml"
    >
      <span slot="about">${text.emptyAbout}</span>
      ${
        may('config:write') && !isReadOnly()
          ? html`<a
              class="button primary"
              href=${linkTo({ screen: 'frontend-models', rest: ['new'] })}
              >${text.add}</a
            >`
          : nothing
      }
    </gw-empty>`;
  }
}

const nameIn =
  ({ principals }: Loaded) =>
  (id: number): string =>
    principals.find((one) => one.id === id)?.name ?? `#${id}`;

customElements.define('gw-screen-routing', ScreenRouting);
