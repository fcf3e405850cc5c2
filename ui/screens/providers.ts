// Providers: the services that models are served by. The list, one of them beside it, a new one, and what each serves now.

import { css, html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { call, list } from '../api/http/call.ts';
import type { Provider } from '../api/records.ts';
import '../elements/badge.ts';
import '../elements/empty.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import type { Column } from '../elements/table/table.ts';
import '../elements/time.ts';
import { formatCount } from '../lib/text/format.ts';
import { providerState } from '../lib/providers/provider-state.ts';
import { historyOf } from '../parts/entity-history.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import type { Save } from '../lib/saves/save.ts';
import { linkTo } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';
import './providers/available.ts';
import './providers/form.ts';
import './providers/record.ts';
import { deletionOf } from './providers/saves.ts';

const columns: readonly Column<Provider>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'state',
    label: 'State',
    value: (one) => providerState(one, Date.now()).word,
    cell: (one) => {
      const { tone, word } = providerState(one, Date.now());
      return html`<gw-badge tone=${tone}>${word}</gw-badge>`;
    },
  },
  {
    id: 'api_base',
    label: 'Address',
    value: ({ api_base }) => api_base,
    cell: ({ api_base }) => html`<code>${api_base}</code>`,
  },
  { id: 'protocol', label: 'Protocol', value: ({ protocol }) => protocol },
  { id: 'kind', label: 'Kind', value: ({ kind }) => kind },
  {
    id: 'credential',
    label: 'Credential',
    value: ({ has_upstream_api_key }) => (has_upstream_api_key ? 'set' : 'none'),
  },
  { id: 'models', label: 'Models', end: true, value: ({ model_count }) => model_count },
  {
    id: 'degraded',
    label: 'Degraded since',
    value: ({ degraded_since }) => degraded_since,
    cell: ({ degraded_since: at, degraded_reason: reason }) =>
      at === null
        ? ''
        : html`<span title=${reason ?? ''}><gw-time at=${at}></gw-time>, ${reason}</span>`,
  },
  {
    id: 'last_seen',
    label: 'Last seen',
    spare: true,
    value: ({ last_seen_at }) => last_seen_at,
    cell: ({ last_seen_at }) => html`<gw-time at=${last_seen_at ?? ''}></gw-time>`,
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

/** Hosts alone have them. */
const hostColumns: readonly Column<Provider>[] = [
  {
    id: 'lease',
    label: 'Lease ends',
    value: ({ lease_expires_at }) => lease_expires_at,
    cell: ({ lease_expires_at: at }) => (at === null ? '' : html`<gw-time at=${at}></gw-time>`),
  },
  { id: 'node', label: 'Node', value: ({ node }) => node },
];
const all = [...columns, ...hostColumns];
/** Made once for each combination: another list of columns is another table. */
const made = new Map<string, readonly Column<Provider>[]>();

/** What none of the rows has is no column at first. */
function columnsFor(rows: readonly Provider[]): readonly Column<Provider>[] {
  const absent = new Set([
    ...(rows.some(({ kind }) => kind === 'dynamic') ? [] : hostColumns.map(({ id }) => id)),
    ...(rows.some(({ degraded_since }) => degraded_since !== null) ? [] : ['degraded']),
  ]);
  const key = [...absent].join(' ');
  const known =
    made.get(key) ??
    all.map((one) => (absent.has(one.id) ? Object.assign({}, one, { spare: true }) : one));
  made.set(key, known);
  return known;
}

class ScreenProviders extends RecordScreen {
  static override properties: PropertyDeclarations = { breaks: { state: true } };
  static override styles = [
    base,
    buttons,
    css`
      .served {
        margin: var(--space-6) 0 var(--space-2);
      }
    `,
  ];
  protected override readonly screen = 'providers';
  /** The models that a deletion is refused for. */
  declare breaks: readonly string[];
  readonly #providers = new Resource(this, (signal) => list('/admin/providers', { signal }), {
    pollMs: 15_000,
  });
  readonly #catalogue = new Resource(this, async (signal) => {
    const { body } = await call('GET', '/admin/provider-catalogue', { signal });
    return body;
  });

  constructor() {
    super();
    this.breaks = [];
  }

  protected override reload(): Promise<void> {
    return this.#providers.reload();
  }

  protected override render() {
    const { value: rows } = this.#providers;
    return html`<gw-page heading="Providers" about="Upstream LLM services">
        ${this.adder('Add provider', { inHead: true })} ${troubleOf(this.#providers)}
        ${loaded(this.#providers, (all) => this.#list(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(this.openedIn(rows))} ${this.asking(this.#breakage())}`;
  }

  #empty() {
    return html`<gw-empty
      heading="No providers yet"
      icon="plug"
      command="gw import --config config.yaml"
    >
      <span slot="about"
        >A provider is a vendor's service or an engine of your own. It is asked for its models
        before it is kept.</span
      >
      ${this.adder('Add provider', { inHead: false })}
    </gw-empty>`;
  }

  #list(rows: readonly Provider[]) {
    const isStale = this.#providers.failure !== null;
    return this.table({
      label: 'Providers',
      noun: 'provider',
      columns: columnsFor(rows),
      rows,
      isStale,
    });
  }

  /** `/new`, `/7`, `/7/edit`, `/7/models`. */
  #opened(provider: Provider | null) {
    const isForm = this.isNew() || (provider !== null && this.aspect() === 'edit');
    return this.drawer({
      heading: this.isNew() ? 'Add a provider' : (provider?.name ?? ''),
      actions:
        provider === null || isForm
          ? nothing
          : this.actionsFor(provider, () => this.#deletion(provider)),
      content: isForm
        ? html`<gw-provider-form
            .row=${provider}
            .catalogue=${this.#catalogue.value ?? []}
            .failure=${this.failure}
          ></gw-provider-form>`
        : provider === null
          ? null
          : this.#record(provider),
    });
  }

  /** The list of what it serves is no form. */
  protected override hasForm(): boolean {
    return this.isNew() || this.aspect() === 'edit';
  }

  /** The provider is asked for its models when a person wants to see them, and not by looking at it. */
  #record(provider: Provider) {
    const isAsked = this.rest[1] === 'models';
    return html`<gw-provider-record .provider=${provider}></gw-provider-record>
      <h3 class="served">Available models</h3>
      ${
        isAsked
          ? html`<gw-available-models .provider=${provider}></gw-available-models>`
          : html`<a class="button" href=${this.link(provider.id, 'models')}
              >See what it serves now</a
            >`
      }
      ${historyOf('provider', provider)}`;
  }

  async #deletion(provider: Provider): Promise<Save> {
    const models = await list('/admin/provider-models');
    this.breaks = models.filter((one) => one.provider_id === provider.id).map(({ name }) => name);
    return deletionOf(provider);
  }

  #breakage() {
    if (this.save?.danger !== true) return nothing;
    if (this.breaks.length === 0) {
      return html`<p>No model is served by it. Its credential is erased and cannot come back.</p>`;
    }
    return html`<p>
        It still serves ${formatCount(this.breaks.length, 'model')}; the deletion is refused until
        they are served by another provider or deleted:
      </p>
      <p>
        <code>${this.breaks.slice(0, 20).join(', ')}${this.breaks.length > 20 ? '…' : ''}</code>
      </p>
      <p>
        <a href=${linkTo({ screen: 'models', query: { provider: this.rest[0] ?? '' } })}
          >See ${this.breaks.length === 1 ? 'the model' : 'these models'}</a
        >
      </p>`;
  }
}

customElements.define('gw-screen-providers', ScreenProviders);
