// Roles: permissions by one name. The list with who holds each, one of them beside it, and what is granted to it.

import { LitElement, html, nothing } from 'lit';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { createRole } from '../api/roles.ts';
import type { Role } from '../api/roles.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table.ts';
import type { Column } from '../elements/table.ts';
import { Watch } from '../elements/watch.ts';
import { adminCurl } from '../lib/copy-as.ts';
import { formatCount } from '../lib/format.ts';
import { invokable, permissionText } from '../lib/permissions.ts';
import { roleBody } from '../lib/role-draft.ts';
import type { RoleDraft } from '../lib/role-draft.ts';
import '../parts/save.ts';
import type { Save } from '../parts/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { announce } from '../state/publication.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import './roles/form.ts';
import { loadRoles } from './roles/load.ts';
import type { HeldRole } from './roles/load.ts';
import './roles/record.ts';
import { changeOf, deletionOf, grantOf, revokeOf } from './roles/saves.ts';

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

class ScreenRoles extends LitElement {
  static override properties = {
    save: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  static override styles = [base, buttons];
  declare save: Save | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  readonly #place = new Watch(this, place);
  readonly #roles = new Resource(this, loadRoles, { pollMs: 30_000 });

  constructor() {
    super();
    this.save = null;
    this.busy = false;
    this.failure = null;
  }

  protected override render() {
    const { value: rows, failure } = this.#roles;
    return html`<gw-page heading="Roles" about="What principals may do, by the roles they hold">
        ${
          this.#isWritable()
            ? html`<a slot="actions" class="button primary" href=${this.#link('new')}
                ><gw-icon name="plus"></gw-icon>Add role</a
              >`
            : nothing
        }
        <gw-error retriable .failure=${failure} @gw-retry=${() => this.#roles.reload()}></gw-error>
        ${rows === undefined ? nothing : rows.length === 0 ? this.#empty() : this.#table(rows)}
      </gw-page>
      ${this.#drawer(rows ?? [])}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#closeSave}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${this.#words(rows ?? [])}</gw-save
      >`;
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: 'roles', rest, query: this.#place.value.query });
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
      ${
        this.#isWritable()
          ? html`<a class="button primary" href=${this.#link('new')}>Add role</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table(rows: readonly HeldRole[]) {
    return html`<gw-table
      label="Roles"
      noun="role"
      .columns=${columns}
      .rows=${rows}
      .view=${tableView()}
      .hrefOf=${(one: HeldRole) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#roles.failure !== null}
      @gw-view=${keepView}
    ></gw-table>`;
  }

  #opened(rows: readonly HeldRole[]): HeldRole | null {
    return rows.find(({ id }) => String(id) === this.#place.value.rest[0]) ?? null;
  }

  /** `/new`, `/3`, `/3/edit`: by id, which a new name leaves as it is. */
  #drawer(rows: readonly HeldRole[]) {
    const [first, second] = this.#place.value.rest;
    const role = this.#opened(rows);
    const isNew = first === 'new' && this.#isWritable();
    const isEdit = second === 'edit' && this.#isWritable();
    return html`<gw-drawer
      heading=${isNew ? 'Add a role' : (role?.name ?? '')}
      ?open=${isNew || role !== null}
      @gw-close=${this.#close}
    >
      ${role !== null && !isEdit && this.#isWritable() ? this.#actions(role) : nothing}
      ${
        isNew || (role !== null && isEdit)
          ? html`<gw-role-form
              .held=${role}
              .failure=${this.failure}
              ?busy=${this.busy}
              @gw-submit=${({ detail }: CustomEvent<RoleDraft>) =>
                role === null ? this.#create(detail) : this.#ask(changeOf(role, detail))}
              @gw-cancel=${() => (role === null ? this.#close() : openRest([role.id]))}
            ></gw-role-form>`
          : nothing
      }
      ${
        role !== null && !isEdit
          ? html`<gw-role-record
              .held=${role}
              ?writable=${this.#isWritable()}
              @gw-grant=${({ detail }: CustomEvent<Permission>) => this.#ask(grantOf(role, detail))}
              @gw-revoke=${({ detail }: CustomEvent<Permission>) =>
                this.#ask(revokeOf(role, detail))}
            ></gw-role-record>`
          : nothing
      }
    </gw-drawer>`;
  }

  #actions(role: HeldRole) {
    return html`<a slot="actions" class="button" href=${this.#link(role.id, 'edit')}
        ><gw-icon name="pencil"></gw-icon>Change</a
      >
      <button slot="actions" type="button" @click=${() => this.#ask(deletionOf(role))}>
        <gw-icon name="trash-2"></gw-icon>Delete
      </button>`;
  }

  #ask(save: Save): void {
    this.failure = null;
    this.save = save;
  }

  /** Opens it then: a role without permissions is of no use. */
  async #create(draft: RoleDraft): Promise<void> {
    this.busy = true;
    this.failure = null;
    try {
      const { body, snapshotVersion } = await createRole(roleBody(draft));
      void announce({ text: `Role ${body.name} added`, version: snapshotVersion });
      await this.#roles.reload();
      openRest([body.id]);
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  }

  #words(rows: readonly HeldRole[]) {
    const role = this.#opened(rows);
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
            .join(', ')}${holders.length > 20 ? ' …' : ''}</code
        >
      </p>`;
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
    await this.#roles.reload();
    openRest(isDeletion || id === undefined ? [] : [id]);
  };

  /** Back to the form, to the field that is wrong. */
  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (this.#place.value.rest[1] !== 'edit') return;
    this.save = null;
    this.failure = detail;
  };
}

customElements.define('gw-screen-roles', ScreenRoles);
