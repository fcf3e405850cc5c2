// Providers: the services that models are served by. The list, one of them beside it, a new one, and what each serves now.

import { LitElement, css, html, nothing } from 'lit';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { listModels } from '../api/models.ts';
import {
  createProvider,
  deleteProvider,
  listProviderCatalogue,
  listProviders,
  updateProvider,
} from '../api/providers.ts';
import type { Provider } from '../api/providers.ts';
import '../elements/badge.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table.ts';
import type { Column } from '../elements/table.ts';
import { Watch } from '../elements/watch.ts';
import { formatCount } from '../lib/format.ts';
import { changeOf, creationOf, shownChange } from '../lib/provider-draft.ts';
import type { ProviderDraft } from '../lib/provider-draft.ts';
import '../parts/save.ts';
import type { Save } from '../parts/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { announce } from '../state/publication.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import './providers/available.ts';
import './providers/form.ts';
import './providers/record.ts';
import { stateOf } from './providers/state.ts';

const columns: readonly Column<Provider>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'state',
    label: 'State',
    value: (one) => stateOf(one, Date.now()).word,
    cell: (one) => {
      const { tone, word } = stateOf(one, Date.now());
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
  { id: 'node', label: 'Node', spare: true, value: ({ node }) => node },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenProviders extends LitElement {
  static override properties = {
    save: { state: true },
    breaks: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    buttons,
    css`
      .served {
        margin: var(--space-6) 0 var(--space-2);
      }
    `,
  ];
  declare save: Save | null;
  /** The models that a deletion is refused for. */
  declare breaks: readonly string[];
  declare busy: boolean;
  declare failure: ApiFailure | null;
  readonly #place = new Watch(this, place);
  readonly #providers = new Resource(this, listProviders, { pollMs: 15_000 });
  readonly #catalogue = new Resource(this, async (signal) => {
    const { body } = await listProviderCatalogue(signal);
    return body;
  });

  constructor() {
    super();
    this.save = null;
    this.breaks = [];
    this.busy = false;
    this.failure = null;
  }

  protected override render() {
    const { value: rows, failure } = this.#providers;
    return html`<gw-page heading="Providers" about="The services that models are served by">
        ${
          this.#isWritable()
            ? html`<a slot="actions" class="button primary" href=${this.#link('new')}
                ><gw-icon name="plus"></gw-icon>Add provider</a
              >`
            : nothing
        }
        <gw-error
          retriable
          .failure=${failure}
          @gw-retry=${() => this.#providers.reload()}
        ></gw-error>
        ${rows === undefined ? nothing : rows.length === 0 ? this.#empty() : this.#table(rows)}
      </gw-page>
      ${this.#drawer(rows ?? [])}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#closeSave}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${this.#breakage()}</gw-save
      >`;
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: 'providers', rest, query: this.#place.value.query });
  }

  #empty() {
    return html`<gw-empty heading="No providers yet" icon="plug" command="gw import config.yaml">
      <span slot="about"
        >A provider is a vendor's service or an engine of your own. It is asked for its models
        before it is kept.</span
      >
      ${
        this.#isWritable()
          ? html`<a class="button primary" href=${this.#link('new')}>Add provider</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table(rows: readonly Provider[]) {
    return html`<gw-table
      label="Providers"
      noun="provider"
      .columns=${columns}
      .rows=${rows}
      .view=${tableView()}
      .hrefOf=${(one: Provider) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#providers.failure !== null}
      @gw-view=${keepView}
    ></gw-table>`;
  }

  /** `/new`, `/7`, `/7/edit`, `/7/models`. */
  #drawer(rows: readonly Provider[]) {
    const [first, second] = this.#place.value.rest;
    const provider = rows.find(({ id }) => String(id) === first) ?? null;
    const isNew = first === 'new' && this.#isWritable();
    const isEdit = second === 'edit' && this.#isWritable();
    return html`<gw-drawer
      heading=${isNew ? 'Add a provider' : (provider?.name ?? '')}
      ?open=${isNew || provider !== null}
      @gw-close=${this.#close}
    >
      ${provider !== null && !isEdit ? this.#actions(provider) : nothing}
      ${
        isNew || (provider !== null && isEdit)
          ? html`<gw-provider-form
              .provider=${provider}
              .catalogue=${this.#catalogue.value ?? []}
              .failure=${this.failure}
              ?busy=${this.busy}
              @gw-submit=${(event: CustomEvent<ProviderDraft>) =>
                provider === null
                  ? this.#create(event.detail)
                  : this.#review(provider, event.detail)}
              @gw-cancel=${() => (provider === null ? this.#close() : openRest([provider.id]))}
            ></gw-provider-form>`
          : provider === null
            ? nothing
            : this.#record(provider)
      }
    </gw-drawer>`;
  }

  /** The provider is asked for its models when a person wants to see them, and not by looking at it. */
  #record(provider: Provider) {
    const isAsked = this.#place.value.rest[1] === 'models';
    return html`<gw-provider-record .provider=${provider}></gw-provider-record>
      <h3 class="served">Available models</h3>
      ${
        isAsked
          ? html`<gw-available-models
              .provider=${provider}
              @gw-registered=${() => this.#providers.reload()}
            ></gw-available-models>`
          : html`<a class="button" href=${this.#link(provider.id, 'models')}
              >See what it serves now</a
            >`
      }`;
  }

  #actions(provider: Provider) {
    if (!this.#isWritable()) return nothing;
    return html`<a slot="actions" class="button" href=${this.#link(provider.id, 'edit')}
        ><gw-icon name="pencil"></gw-icon>Change</a
      >
      <button slot="actions" type="button" @click=${() => this.#askDelete(provider)}>
        <gw-icon name="trash-2"></gw-icon>Delete
      </button>`;
  }

  /** Nothing is there before it, so there is nothing to compare: it is made at once, after the provider has answered. */
  async #create(draft: ProviderDraft): Promise<void> {
    this.busy = true;
    this.failure = null;
    try {
      const { body, snapshotVersion } = await createProvider(creationOf(draft));
      void announce({ text: `Provider ${body.name} added`, version: snapshotVersion });
      await this.#providers.reload();
      openRest([body.id]);
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  }

  #review(provider: Provider, draft: ProviderDraft): void {
    const body = changeOf(draft, provider);
    this.failure = null;
    this.breaks = [];
    this.save = {
      heading: `Change ${provider.name}`,
      verb: 'Publish change',
      done: `Provider ${provider.name} changed`,
      before: { ...provider, credential: provider.has_upstream_api_key ? 'set' : 'none' },
      after: shownChange(body),
      run: (change) => updateProvider(provider.id, body, { ...change, version: provider.version }),
    };
  }

  async #askDelete(provider: Provider): Promise<void> {
    const models = await listModels();
    this.breaks = models.filter((one) => one.provider_id === provider.id).map(({ name }) => name);
    this.save = {
      heading: `Delete ${provider.name}`,
      verb: 'Delete provider',
      done: `Provider ${provider.name} deleted`,
      before: null,
      after: null,
      danger: true,
      name: provider.name,
      run: (change) => deleteProvider(provider.id, { ...change, version: provider.version }),
    };
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
      <p><code>${this.breaks.slice(0, 20).join(', ')}</code></p>`;
  }

  readonly #close = (): void => {
    this.failure = null;
    openRest([]);
  };

  readonly #closeSave = (): void => {
    this.save = null;
  };

  readonly #onSaved = async (): Promise<void> => {
    const isDeletion = this.save?.danger === true;
    const [id] = this.#place.value.rest;
    this.save = null;
    await this.#providers.reload();
    openRest(isDeletion || id === undefined ? [] : [id]);
  };

  /** Back to the form, to the field that is wrong. */
  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (this.#place.value.rest[1] !== 'edit') return;
    this.save = null;
    this.failure = detail;
  };
}

customElements.define('gw-screen-providers', ScreenProviders);
