// API keys: what clients call with. The list by state, one of them beside it, a new one that is shown once, and its revocation.

import { LitElement, html, nothing } from 'lit';

import { getConfig } from '../api/config.ts';
import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { listFrontendModels } from '../api/frontend-models.ts';
import { createKey, listKeys, revokeKey } from '../api/keys.ts';
import type { ApiKey } from '../api/keys.ts';
import { listPrincipals } from '../api/principals.ts';
import { listRoles } from '../api/roles.ts';
import '../elements/badge.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import '../elements/table.ts';
import type { Column } from '../elements/table.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import { adminCurl } from '../lib/copy-as.ts';
import { gatewayAddress, keyBody } from '../lib/key-draft.ts';
import type { KeyDraft } from '../lib/key-draft.ts';
import { keyState, keyStates } from '../lib/key-state.ts';
import type { KeyState } from '../lib/key-state.ts';
import { withQuery } from '../lib/place.ts';
import '../parts/save.ts';
import type { Save } from '../parts/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { zone } from '../state/preferences.ts';
import { announce } from '../state/publication.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import './keys/form.ts';
import './keys/made.ts';
import type { MadeKey } from './keys/made.ts';
import './keys/record.ts';

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
    id: 'created_at',
    label: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenKeys extends LitElement {
  static override properties = {
    save: { state: true },
    made: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  static override styles = [base, buttons];
  declare save: Save | null;
  declare made: MadeKey | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  readonly #place = new Watch(this, place);
  readonly #keys = new Resource(this, listKeys, { pollMs: 30_000 });
  readonly #people = new Resource(this, async (signal) => {
    const [principals, roles] = await Promise.all([listPrincipals(signal), listRoles(signal)]);
    return { principals, roles };
  });

  constructor() {
    super();
    this.save = null;
    this.made = null;
    this.busy = false;
    this.failure = null;
  }

  protected override render() {
    const { value: rows, failure } = this.#keys;
    return html`<gw-page heading="API keys" about="What clients call with, each for one principal">
        ${
          this.#mayCreate()
            ? html`<a slot="actions" class="button primary" href=${this.#link('new')}
                ><gw-icon name="plus"></gw-icon>Create key</a
              >`
            : nothing
        }
        <gw-error retriable .failure=${failure} @gw-retry=${() => this.#keys.reload()}></gw-error>
        ${rows === undefined ? nothing : rows.length === 0 ? this.#empty() : this.#table(rows)}
      </gw-page>
      ${this.#drawer(rows ?? [])}
      <gw-save .save=${this.save} @gw-close=${this.#closeSave} @gw-saved=${this.#onSaved}
        >${
          this.save === null
            ? nothing
            : html`<p>
                Whoever calls with it is refused from then on. A revoked key never works again; its
                row and its usage stay.
              </p>`
        }</gw-save
      >
      <gw-made-key .made=${this.made} @gw-close=${this.#closeMade}></gw-made-key>`;
  }

  #mayCreate(): boolean {
    return may('key:create') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: 'keys', rest, query: this.#place.value.query });
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
      ${
        this.#mayCreate()
          ? html`<a class="button primary" href=${this.#link('new')}>Create key</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table(rows: readonly ApiKey[]) {
    const chosen = this.#place.value.query['state'] ?? '';
    const shown = chosen === '' ? rows : rows.filter((key) => stateOf(key) === chosen);
    return html`<gw-table
      label="API keys"
      noun="key"
      .columns=${columns}
      .rows=${shown}
      .view=${tableView()}
      .hrefOf=${(one: ApiKey) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#keys.failure !== null}
      @gw-view=${keepView}
      ><gw-segments
        slot="bar"
        label="Keys by state"
        .segments=${this.#segments(rows)}
        chosen=${chosen}
      ></gw-segments
    ></gw-table>`;
  }

  #segments(rows: readonly ApiKey[]) {
    const counts = Map.groupBy(rows, stateOf);
    const href = (value: string): string => {
      const { screen, query } = withQuery(this.#place.value, { state: value, page: null });
      return linkTo({ screen, query });
    };
    return [
      { value: '', label: 'all', count: rows.length, href: href('') },
      ...keyStates.map(({ value, label }) => ({
        value,
        label,
        count: counts.get(value)?.length ?? 0,
        href: href(value),
      })),
    ];
  }

  /** `/new`, `/new/7` for principal 7, and `/12`. */
  #drawer(rows: readonly ApiKey[]) {
    const [first, second = ''] = this.#place.value.rest;
    const key = rows.find(({ id }) => String(id) === first) ?? null;
    const people = this.#people.value;
    const isNew = first === 'new' && this.#mayCreate();
    return html`<gw-drawer
      heading=${isNew ? 'Create a key' : (key?.name ?? '')}
      ?open=${isNew || key !== null}
      @gw-close=${this.#close}
    >
      ${
        key !== null && !key.disabled && may('key:revoke') && !isReadOnly()
          ? html`<button slot="actions" type="button" @click=${() => this.#askRevoke(key)}>
              <gw-icon name="trash-2"></gw-icon>Revoke
            </button>`
          : nothing
      }
      ${
        isNew && people !== undefined
          ? html`<gw-key-form
              .principals=${people.principals}
              .roles=${people.roles}
              first=${second}
              .failure=${this.failure}
              ?busy=${this.busy}
              @gw-submit=${({ detail }: CustomEvent<KeyDraft>) => this.#create(detail)}
              @gw-cancel=${this.#close}
            ></gw-key-form>`
          : nothing
      }
      ${isNew ? html`<gw-error .failure=${this.#people.failure}></gw-error>` : nothing}
      ${key === null ? nothing : html`<gw-key-record .apiKey=${key}></gw-key-record>`}
    </gw-drawer>`;
  }

  async #create(draft: KeyDraft): Promise<void> {
    this.busy = true;
    this.failure = null;
    try {
      const told = { now: Date.now(), zone: zone.get() };
      const { body, snapshotVersion } = await createKey(keyBody(draft, told));
      void announce({ text: `Key ${body.name} created`, version: snapshotVersion });
      const use = await useOf().catch(() => ({ base: 'https://your-gateway.example', model: '' }));
      this.made = { id: body.id, name: body.name, key: body.key, ...use };
      await this.#keys.reload();
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  }

  #askRevoke(key: ApiKey): void {
    this.save = {
      heading: `Revoke ${key.name}`,
      verb: 'Revoke key',
      done: `Key ${key.name} revoked`,
      before: null,
      after: null,
      danger: true,
      name: key.name,
      run: (change) => revokeKey(key.id, { ...change, version: key.version }),
    };
  }

  readonly #close = (): void => {
    this.failure = null;
    openRest([]);
  };

  readonly #closeMade = (): void => {
    const { made } = this;
    this.made = null;
    if (made !== null) openRest([made.id]);
  };

  readonly #closeSave = (): void => {
    this.save = null;
  };

  readonly #onSaved = async (): Promise<void> => {
    this.save = null;
    await this.#keys.reload();
  };
}

/** What a first request with a new key needs to say. */
async function useOf(): Promise<Readonly<{ base: string; model: string }>> {
  const [{ body: config }, [model]] = await Promise.all([getConfig(), listFrontendModels()]);
  return {
    base: gatewayAddress(config, new URL(globalThis.location.href)),
    model: model?.name ?? 'a-frontend-model',
  };
}

customElements.define('gw-screen-keys', ScreenKeys);
