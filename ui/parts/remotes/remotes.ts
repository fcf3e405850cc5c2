// The screen that MCP servers and agents share: the list, one of them beside it, a new one, a change and a deletion.

import { html, nothing } from 'lit';

import '../../elements/badge.ts';
import '../../elements/empty.ts';
import { loaded, troubleOf } from '../../elements/loaded.ts';
import '../../elements/page.ts';
import { Resource } from '../../elements/resource.ts';
import type { Column } from '../../elements/table/table.ts';
import { adminCurl } from '../../lib/saves/copy-as.ts';
import type { Remote } from '../../lib/providers/remote-draft.ts';
import { historyOf } from '../entity-history.ts';
import { RecordScreen } from '../record-screen.ts';
import './form.ts';
import type { RemoteKind } from './kind.ts';
import './record.ts';
import { deletionOf } from './saves.ts';

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

export abstract class RemotesScreen extends RecordScreen {
  protected abstract readonly kind: RemoteKind;
  #columns: readonly Column<Remote>[] | null = null;
  readonly #remotes = new Resource(this, (signal) => this.kind.list(signal), { pollMs: 30_000 });

  protected override get screen(): string {
    return this.kind.screen;
  }

  protected override reload(): Promise<void> {
    return this.#remotes.reload();
  }

  protected override render() {
    const { value: rows } = this.#remotes;
    const { heading, about, noun } = this.kind;
    return html`<gw-page heading=${heading} about=${about}>
        ${this.adder(`Add ${noun}`, { inHead: true })} ${troubleOf(this.#remotes)}
        ${loaded(this.#remotes, (all) => this.#list(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(this.openedIn(rows))}
      ${this.asking(
        this.save?.danger === true
          ? html`<p>
              Grants that name it stay and open nothing. Its credential is erased and cannot come
              back.
            </p>`
          : nothing,
      )}`;
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
      ${this.adder(`Add ${noun}`, { inHead: false })}
    </gw-empty>`;
  }

  #list(rows: readonly Remote[]) {
    const { heading: label, noun } = this.kind;
    this.#columns ??= columnsOf(this.kind);
    const isStale = this.#remotes.failure !== null;
    return this.table({ label, noun, columns: this.#columns, rows, isStale });
  }

  /** `/new`, `/7`, `/7/edit`. */
  #opened(remote: Remote | null) {
    const { kind } = this;
    const isForm = this.isNew() || (remote !== null && this.aspect() === 'edit');
    return this.drawer({
      heading: this.isNew() ? `Add ${kind.one}` : (remote?.name ?? ''),
      actions:
        remote === null || isForm
          ? nothing
          : this.actionsFor(remote, () => deletionOf(kind, remote)),
      content: isForm
        ? html`<gw-remote-form
            .kind=${kind}
            .row=${remote}
            .failure=${this.failure}
          ></gw-remote-form>`
        : remote === null
          ? null
          : html`<gw-remote-record .kind=${kind} .remote=${remote}></gw-remote-record
              >${historyOf(kind.stream, remote)}`,
    });
  }
}
