// Roles: permissions by one name. The list with who holds each, one of them beside it, and what is granted to it.

import { html, nothing } from 'lit';

import type { Role } from '../api/records.ts';
import '../elements/empty.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import type { Column } from '../elements/table/table.ts';
import { adminCurl } from '../lib/saves/copy-as.ts';
import { formatCount } from '../lib/text/format.ts';
import { invokable, permissionText } from '../lib/access/permissions.ts';
import { historyOf } from '../parts/entity-history.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { linkTo } from '../state/location.ts';
import './roles/form.ts';
import { loadRoles } from './roles/load.ts';
import type { HeldRole } from './roles/load.ts';
import './roles/record.ts';
import { deletionOf, grantOf, revokeOf } from './roles/saves.ts';

type Permission = Role['permissions'][number];

const columns: readonly Column<HeldRole>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  { id: 'description', label: 'Description', value: ({ description }) => description },
  { id: 'may_invoke', label: 'Can invoke', value: ({ permissions }) => invokable(permissions) },
  {
    id: 'permissions',
    label: 'Permissions',
    value: ({ permissions }) => permissions.map(permissionText).join(', '),
    cell: ({ permissions }) =>
      permissions.length === 0
        ? html`<span class="quiet">none</span>`
        : html`<code>${permissions.map(permissionText).join(', ')}</code>`,
  },
  { id: 'holders', label: 'Holders', end: true, value: ({ holders }) => holders.length },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenRoles extends RecordScreen {
  protected override readonly screen = 'roles';
  readonly #roles = new Resource(this, loadRoles, { pollMs: 30_000 });

  protected override reload(): Promise<void> {
    return this.#roles.reload();
  }

  protected override render() {
    const { value: rows } = this.#roles;
    return html`<gw-page heading="Roles" about="Named sets of permissions for principals">
        ${this.adder('Add role', { inHead: true })} ${troubleOf(this.#roles)}
        ${loaded(this.#roles, (all) => this.#list(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(this.openedIn(rows))} ${this.asking(this.#words(rows ?? []))}`;
  }

  #empty() {
    const command = adminCurl({
      origin: globalThis.location.origin,
      path: '/admin/roles',
      body: { name: 'readers', description: 'May read usage' },
    });
    return html`<gw-empty heading="No roles at this moment" icon="shield-check" command=${command}>
      <span slot="about"
        >A role is a name for permissions, such as to invoke some models. Principals do what their
        roles let them, and nothing else.</span
      >
      ${this.adder('Add role', { inHead: false })}
    </gw-empty>`;
  }

  #list(rows: readonly HeldRole[]) {
    const isStale = this.#roles.failure !== null;
    return this.table({ label: 'Roles', noun: 'role', columns, rows, isStale });
  }

  /** `/new`, `/3`, `/3/edit`: by id, which a new name leaves as it is. A new role is opened then: without permissions it is of no use. */
  #opened(role: HeldRole | null) {
    const isForm = this.isNew() || (role !== null && this.aspect() === 'edit');
    return this.drawer({
      heading: this.isNew() ? 'Add a role' : (role?.name ?? ''),
      actions: role === null || isForm ? nothing : this.actionsFor(role, () => deletionOf(role)),
      content: isForm
        ? html`<gw-role-form .row=${role} .failure=${this.failure}></gw-role-form>`
        : role === null
          ? null
          : this.#record(role),
    });
  }

  #record(role: HeldRole) {
    return html`<gw-role-record
        .held=${role}
        ?writable=${this.isWritable()}
        @gw-grant=${({ detail }: CustomEvent<Permission>) => this.ask(grantOf(role, detail))}
        @gw-revoke=${({ detail }: CustomEvent<Permission>) => this.ask(revokeOf(role, detail))}
      ></gw-role-record
      >${historyOf('role', role)}`;
  }

  #words(rows: readonly HeldRole[]) {
    const role = this.openedIn(rows);
    if (role === null || this.save === null) return nothing;
    const { holders } = role;
    if (this.save.danger !== true) {
      return html`<p>It is held by ${formatCount(holders.length, 'principal')}.</p>`;
    }
    if (holders.length === 0) return html`<p>No principal holds it.</p>`;
    return html`<p>
        ${formatCount(holders.length, 'principal')} still hold${holders.length === 1 ? 's' : ''} it;
        the deletion is refused until none does:
      </p>
      <p>
        <code
          >${holders
            .slice(0, 20)
            .map(({ name }) => name)
            .join(', ')}${holders.length > 20 ? '…' : ''}</code
        >
      </p>
      <p>
        <a href=${linkTo({ screen: 'principals', query: { role: role.name } })}>See who holds it</a>
      </p>`;
  }
}

customElements.define('gw-screen-roles', ScreenRoles);
