// The screen that MCP servers and agents share: the list, one of them beside it, a new one, a change and a deletion.

import { LitElement, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { asFailure } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/badge.ts';
import '../../elements/drawer.ts';
import '../../elements/empty.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import '../../elements/page.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import { Watch } from '../../elements/watch.ts';
import { adminCurl } from '../../lib/copy-as.ts';
import { remoteBody, remoteChange, shownRemoteChange } from '../../lib/remote-draft.ts';
import type { Remote, RemoteDraft } from '../../lib/remote-draft.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo, openRest, place } from '../../state/location.ts';
import { announce } from '../../state/publication.ts';
import { may } from '../../state/session.ts';
import { keepView, tableView } from '../../state/table-view.ts';
import { base, buttons } from '../../styles/base.ts';
import '../save.ts';
import type { Save } from '../save.ts';
import './form.ts';
import type { RemoteKind } from './kind.ts';
import './record.ts';

const columnsOf = ({ dialect, dialectOf }: RemoteKind): readonly Column<Remote>[] => [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  {
    id: 'enabled',
    label: 'State',
    value: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    cell: ({ enabled }) =>
      html`<gw-badge tone=${enabled ? 'good' : 'plain'}
        >${enabled ? 'enabled' : 'disabled'}</gw-badge
      >`,
  },
  {
    id: 'url',
    label: 'Address',
    value: ({ url }) => url,
    cell: ({ url }) => html`<code>${url}</code>`,
  },
  { id: dialect.field, label: dialect.label, value: dialectOf },
  {
    id: 'credential',
    label: 'Credential',
    value: ({ has_upstream_api_key }) => (has_upstream_api_key ? 'set' : 'none'),
  },
  { id: 'description', label: 'Description', value: ({ description }) => description },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

export class GwRemotes extends LitElement {
  static override properties = {
    kind: { attribute: false },
    save: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  static override styles = [base, buttons];
  declare kind: RemoteKind;
  declare save: Save | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  #columns: readonly Column<Remote>[] = [];
  readonly #place = new Watch(this, place);
  readonly #remotes = new Resource(this, (signal) => this.kind.list(signal), { pollMs: 30_000 });

  constructor() {
    super();
    this.save = null;
    this.busy = false;
    this.failure = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('kind')) this.#columns = columnsOf(this.kind);
  }

  protected override render() {
    const { value: rows, failure } = this.#remotes;
    const { heading, about, noun } = this.kind;
    return html`<gw-page heading=${heading} about=${about}>
        ${
          this.#isWritable()
            ? html`<a slot="actions" class="button primary" href=${this.#link('new')}
                ><gw-icon name="plus"></gw-icon>Add ${noun}</a
              >`
            : nothing
        }
        <gw-error
          retriable
          .failure=${failure}
          @gw-retry=${() => this.#remotes.reload()}
        ></gw-error>
        ${rows === undefined ? nothing : rows.length === 0 ? this.#empty() : this.#table(rows)}
      </gw-page>
      ${this.#drawer(rows ?? [])}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#closeSave}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${
          this.save?.danger === true
            ? html`<p>
                Grants that name it stay and open nothing. Its credential is erased and cannot come
                back.
              </p>`
            : nothing
        }</gw-save
      >`;
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: this.kind.screen, rest, query: this.#place.value.query });
  }

  #empty() {
    const { plural, icon, noun, path, teaches } = this.kind;
    const command = adminCurl({
      origin: globalThis.location.origin,
      path,
      body: { name: 'search', url: 'https://search.example/' },
    });
    return html`<gw-empty heading="No ${plural} yet" icon=${icon} command=${command}>
      <span slot="about">${teaches}</span>
      ${
        this.#isWritable()
          ? html`<a class="button primary" href=${this.#link('new')}>Add ${noun}</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table(rows: readonly Remote[]) {
    return html`<gw-table
      label=${this.kind.heading}
      noun=${this.kind.noun}
      .columns=${this.#columns}
      .rows=${rows}
      .view=${tableView()}
      .hrefOf=${(one: Remote) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#remotes.failure !== null}
      @gw-view=${keepView}
    ></gw-table>`;
  }

  /** `/new`, `/7`, `/7/edit`. */
  #drawer(rows: readonly Remote[]) {
    const [first, second] = this.#place.value.rest;
    const remote = rows.find(({ id }) => String(id) === first) ?? null;
    const isNew = first === 'new' && this.#isWritable();
    const isEdit = second === 'edit' && this.#isWritable();
    const isForm = isNew || (remote !== null && isEdit);
    return html`<gw-drawer
      heading=${isNew ? `Add ${this.kind.one}` : (remote?.name ?? '')}
      ?open=${isNew || remote !== null}
      @gw-close=${this.#close}
    >
      ${remote !== null && !isEdit && this.#isWritable() ? this.#actions(remote) : nothing}
      ${
        isForm
          ? html`<gw-remote-form
              .kind=${this.kind}
              .remote=${remote}
              .failure=${this.failure}
              ?busy=${this.busy}
              @gw-submit=${({ detail }: CustomEvent<RemoteDraft>) =>
                remote === null ? this.#create(detail) : this.#review(remote, detail)}
              @gw-cancel=${() => (remote === null ? this.#close() : openRest([remote.id]))}
            ></gw-remote-form>`
          : nothing
      }
      ${
        remote !== null && !isForm
          ? html`<gw-remote-record .kind=${this.kind} .remote=${remote}></gw-remote-record>`
          : nothing
      }
    </gw-drawer>`;
  }

  #actions(remote: Remote) {
    return html`<a slot="actions" class="button" href=${this.#link(remote.id, 'edit')}
        ><gw-icon name="pencil"></gw-icon>Change</a
      >
      <button slot="actions" type="button" @click=${() => this.#askDelete(remote)}>
        <gw-icon name="trash-2"></gw-icon>Delete
      </button>`;
  }

  async #create(draft: RemoteDraft): Promise<void> {
    this.busy = true;
    this.failure = null;
    try {
      const { body, snapshotVersion } = await this.kind.create(remoteBody(draft), draft.dialect);
      void announce({ text: `${body.name} added`, version: snapshotVersion });
      await this.#remotes.reload();
      openRest([body.id]);
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  }

  #review(remote: Remote, draft: RemoteDraft): void {
    const { dialect, dialectOf, update } = this.kind;
    const body = remoteChange(draft, remote);
    const before = dialectOf(remote);
    const given = { body, dialect: draft.dialect === before ? undefined : draft.dialect };
    this.failure = null;
    this.save = {
      heading: `Change ${remote.name}`,
      verb: 'Publish change',
      done: `${remote.name} changed`,
      before: {
        ...remote,
        [dialect.field]: before,
        credential: remote.has_upstream_api_key ? 'set' : 'none',
      },
      after: { ...shownRemoteChange(body), [dialect.field]: given.dialect },
      run: (change) => update(remote.id, given, { ...change, version: remote.version }),
    };
  }

  #askDelete(remote: Remote): void {
    this.save = {
      heading: `Delete ${remote.name}`,
      verb: `Delete ${this.kind.noun}`,
      done: `${remote.name} deleted`,
      before: null,
      after: null,
      danger: true,
      name: remote.name,
      run: (change) => this.kind.remove(remote.id, { ...change, version: remote.version }),
    };
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
    await this.#remotes.reload();
    openRest(isDeletion || id === undefined ? [] : [id]);
  };

  /** Back to the form, to the field that is wrong. */
  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (this.#place.value.rest[1] !== 'edit') return;
    this.save = null;
    this.failure = detail;
  };
}

customElements.define('gw-remotes', GwRemotes);

declare global {
  interface HTMLElementTagNameMap {
    'gw-remotes': GwRemotes;
  }
}
