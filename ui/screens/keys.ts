// API keys: what clients call with. The list by state, one of them beside it, a new one that is shown once, and its revocation.

import { html, nothing } from 'lit';
import type { PropertyDeclarations } from 'lit';

import { getConfig } from '../api/config.ts';
import { listFrontendModels } from '../api/frontend-models.ts';
import { listKeys } from '../api/keys.ts';
import type { ApiKey, MadeApiKey } from '../api/keys.ts';
import { listPrincipals } from '../api/principals.ts';
import { listRoles } from '../api/roles.ts';
import '../elements/badge.ts';
import '../elements/empty.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import type { Column } from '../elements/table.ts';
import '../elements/time.ts';
import { adminCurl } from '../lib/copy-as.ts';
import { gatewayAddress } from '../lib/key-draft.ts';
import { keyState, keyStates } from '../lib/key-state.ts';
import type { KeyState } from '../lib/key-state.ts';
import { narrowed } from '../lib/narrow.ts';
import { copyRecord } from '../parts/copy-record.ts';
import { historyOf } from '../parts/entity-history.ts';
import { narrowedBy } from '../parts/narrowed.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { isReadOnly } from '../state/as-of.ts';
import { openRest } from '../state/location.ts';
import { may } from '../state/session.ts';
import './keys/form.ts';
import './keys/made.ts';
import type { MadeKey } from './keys/made.ts';
import './keys/record.ts';
import { revocationOf } from './keys/saves.ts';

const stateOf = (key: ApiKey): KeyState => keyState(key, Date.now());
const shownState = (key: ApiKey) => keyStates.find(({ value }) => value === stateOf(key));

const columns: readonly Column<ApiKey>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'prefix',
    label: 'Prefix',
    value: ({ prefix }) => prefix,
    cell: ({ prefix }) => html`<code>${prefix}…</code>`,
  },
  { id: 'principal', label: 'Principal', value: ({ principal }) => principal },
  {
    id: 'state',
    label: 'State',
    value: (key) => shownState(key)?.label ?? '',
    cell: (key) =>
      html`<gw-badge tone=${shownState(key)?.tone ?? 'plain'}>${shownState(key)?.label}</gw-badge>`,
  },
  {
    id: 'expires_at',
    label: 'Expires',
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) =>
      expires_at === null
        ? html`<span class="quiet">never</span>`
        : html`<gw-time at=${expires_at}></gw-time>`,
  },
  {
    id: 'last_used_at',
    label: 'Last used',
    value: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) =>
      last_used_at === null
        ? html`<span class="quiet">${isReadOnly() ? 'not known' : 'never'}</span>`
        : html`<gw-time at=${last_used_at}></gw-time>`,
  },
  {
    id: 'created_at',
    label: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenKeys extends RecordScreen {
  static override properties: PropertyDeclarations = { made: { state: true } };
  protected override readonly screen = 'keys';
  /** A key that is shown this once. */
  declare made: MadeKey | null;
  readonly #keys = new Resource(this, listKeys, { pollMs: 30_000 });
  readonly #people = new Resource(this, async (signal) => {
    const [principals, roles] = await Promise.all([listPrincipals(signal), listRoles(signal)]);
    return { principals, roles };
  });

  constructor() {
    super();
    this.made = null;
  }

  protected override reload(): Promise<void> {
    return this.#keys.reload();
  }

  /** What is changed here are keys alone. */
  protected override isWritable(): boolean {
    return may('key:create') && !isReadOnly();
  }

  protected override render() {
    const { value: rows } = this.#keys;
    return html`<gw-page heading="API keys" about="What clients call with, each for one principal">
        ${this.adder('Create key', { inHead: true })} ${troubleOf(this.#keys)}
        ${loaded(this.#keys, (all) => this.#list(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(this.openedIn(rows))}
      ${this.asking(
        this.save?.danger === true
          ? html`<p>
              Whoever calls with it is refused from then on. A revoked key never works again; its
              row and its usage stay.
            </p>`
          : nothing,
      )}
      <gw-made-key .made=${this.made} @gw-close=${this.#closeMade}></gw-made-key>`;
  }

  #empty() {
    const command = adminCurl({
      origin: globalThis.location.origin,
      path: '/admin/keys',
      body: { name: 'nightly', principal_id: 1 },
    });
    return html`<gw-empty heading="No keys yet" icon="key-round" command=${command}>
      <span slot="about"
        >A key says who is calling: it belongs to a principal, whose roles decide which models it
        reaches. It is shown once.</span
      >
      ${this.adder('Create key', { inHead: false })}
    </gw-empty>`;
  }

  /** All of them, or those of one principal. */
  #list(all: readonly ApiKey[]) {
    const { state: chosen = '', principal = '' } = this.query;
    const rows = narrowed(all, principal, ({ principal_id }) => [principal_id]);
    const whose = rows[0]?.principal ?? `principal ${principal}`;
    return this.table({
      label: 'API keys',
      noun: 'key',
      columns,
      rows: chosen === '' ? rows : rows.filter((key) => stateOf(key) === chosen),
      isStale: this.#keys.failure !== null,
      bar: html`${narrowedBy({
          asked: principal,
          words: `Of ${whose}`,
          href: this.viewLink({ principal: '' }),
        })}<gw-segments
          slot="bar"
          label="Keys by state"
          .segments=${this.#segments(rows)}
          chosen=${chosen}
        ></gw-segments>`,
    });
  }

  #segments(rows: readonly ApiKey[]) {
    const counts = Map.groupBy(rows, stateOf);
    return [
      { value: '', label: 'all', count: rows.length, href: this.viewLink({ state: '' }) },
      ...keyStates.map(({ value, label }) => ({
        value,
        label,
        count: counts.get(value)?.length ?? 0,
        href: this.viewLink({ state: value }),
      })),
    ];
  }

  /** `/new`, `/new/7` for principal 7, and `/12`. */
  #opened(key: ApiKey | null) {
    return this.drawer({
      heading: this.isNew() ? 'Create a key' : (key?.name ?? ''),
      actions: key === null ? nothing : this.#revoker(key),
      content: this.isNew()
        ? this.#form()
        : key === null
          ? null
          : html`<gw-key-record .apiKey=${key}></gw-key-record>${historyOf('api_key', key)}`,
    });
  }

  #form() {
    const { value: people } = this.#people;
    if (people === undefined) {
      return html`${troubleOf(this.#people)} ${loaded(this.#people, () => nothing)}`;
    }
    return html`<gw-key-form
      .row=${null}
      .principals=${people.principals}
      .roles=${people.roles}
      first=${this.rest[1] ?? ''}
      .failure=${this.failure}
      @gw-made=${this.#onMade}
    ></gw-key-form>`;
  }

  #revoker(key: ApiKey) {
    const copy = copyRecord(this.screen, key);
    if (key.disabled || !may('key:revoke') || isReadOnly()) return copy;
    return html`${copy}<button
        slot="actions"
        type="button"
        @click=${() => this.ask(revocationOf(key))}
      >
        <gw-icon name="trash-2"></gw-icon>Revoke
      </button>`;
  }

  readonly #onMade = async ({ detail }: CustomEvent<MadeApiKey>): Promise<void> => {
    const { id, name, key } = detail;
    const use = await useOf().catch(() => ({ base: null, model: '' }));
    this.made = { id, name, key, ...use };
  };

  readonly #closeMade = (): void => {
    const { made } = this;
    this.made = null;
    if (made !== null) openRest([made.id]);
  };
}

/** What a first request with a new key needs to say. */
async function useOf(): Promise<Readonly<{ base: string | null; model: string }>> {
  const [{ body: config }, [model]] = await Promise.all([getConfig(), listFrontendModels()]);
  return {
    base: gatewayAddress(config),
    model: model?.name ?? 'a-frontend-model',
  };
}

customElements.define('gw-screen-keys', ScreenKeys);
