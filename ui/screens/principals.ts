// Principals: who calls, and who administers. The list, one of them with what it may do, a new one, its roles and its password.

import { LitElement, html, nothing } from 'lit';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { createPrincipal } from '../api/principals.ts';
import '../elements/badge.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import '../elements/menu.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/table.ts';
import type { Column } from '../elements/table.ts';
import '../elements/time.ts';
import { Watch } from '../elements/watch.ts';
import { nearerCap } from '../lib/budget.ts';
import { formatCount, formatNumber } from '../lib/format.ts';
import { principalBody } from '../lib/principal-draft.ts';
import type { PrincipalDraft } from '../lib/principal-draft.ts';
import { nearerBar } from '../parts/budget.ts';
import '../parts/save.ts';
import type { Save } from '../parts/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { announce } from '../state/publication.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import './principals/form.ts';
import { loadPeople } from './principals/load.ts';
import type { Known, People } from './principals/load.ts';
import './principals/password.ts';
import './principals/record.ts';
import { changeOf, deletionOf, grantOf, passwordOf, revokeOf } from './principals/saves.ts';

const columns: readonly Column<Known>[] = [
  { id: 'name', label: 'Name', value: ({ name }) => name },
  { id: 'kind', label: 'Kind', value: ({ kind }) => kind.replace('_', ' ') },
  {
    id: 'roles',
    label: 'Roles',
    value: ({ roles }) => roles.join(', '),
    cell: ({ roles }) =>
      roles.length === 0 ? html`<span class="quiet">none</span>` : roles.join(', '),
  },
  { id: 'may_invoke', label: 'Can invoke', value: ({ mayInvoke }) => mayInvoke },
  { id: 'keys', label: 'Keys', end: true, value: ({ keys }) => keys },
  {
    id: 'budget',
    label: 'Budget used',
    value: ({ budget }) => (budget === null ? null : (nearerCap(budget)?.share ?? null)),
    cell: ({ budget }) =>
      budget === null ? html`<span class="quiet">unlimited</span>` : nearerBar(budget),
  },
  {
    id: 'requests_per_min',
    label: 'Requests/min',
    end: true,
    value: ({ limits }) => limits?.requests_per_min ?? null,
    cell: ({ limits }) =>
      typeof limits?.requests_per_min === 'number'
        ? formatNumber(limits.requests_per_min)
        : html`<span class="quiet">unlimited</span>`,
  },
  { id: 'email', label: 'E-mail', spare: true, value: ({ email }) => email },
  {
    id: 'created_at',
    label: 'Created',
    spare: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => html`<gw-time at=${created_at}></gw-time>`,
  },
  { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
];

class ScreenPrincipals extends LitElement {
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
  readonly #people = new Resource(this, loadPeople, { pollMs: 60_000 });

  constructor() {
    super();
    this.save = null;
    this.busy = false;
    this.failure = null;
  }

  protected override render() {
    const { value: people, failure } = this.#people;
    return html`<gw-page heading="Principals" about="Who calls, and who administers">
        ${
          this.#isWritable()
            ? html`<a slot="actions" class="button primary" href=${this.#link('new')}
                ><gw-icon name="plus"></gw-icon>Add principal</a
              >`
            : nothing
        }
        <gw-error retriable .failure=${failure} @gw-retry=${() => this.#people.reload()}></gw-error>
        ${
          people === undefined
            ? nothing
            : people.rows.length === 0
              ? this.#empty()
              : this.#table(people.rows)
        }
      </gw-page>
      ${people === undefined ? nothing : this.#drawer(people)}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#closeSave}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${this.#words(people?.rows ?? [])}</gw-save
      >`;
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: 'principals', rest, query: this.#place.value.query });
  }

  #empty() {
    return html`<gw-empty
      heading="No principals at this moment"
      icon="users-round"
      command="gw set-password --name NAME"
    >
      <span slot="about"
        >A principal is a program that calls or a person who administers. Keys, roles, limits and a
        budget are its own.</span
      >
      ${
        this.#isWritable()
          ? html`<a class="button primary" href=${this.#link('new')}>Add principal</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #table(rows: readonly Known[]) {
    return html`<gw-table
      label="Principals"
      noun="principal"
      .columns=${columns}
      .rows=${rows}
      .view=${tableView()}
      .hrefOf=${(one: Known) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#people.failure !== null}
      @gw-view=${keepView}
    ></gw-table>`;
  }

  #opened(rows: readonly Known[]): Known | null {
    return rows.find(({ id }) => String(id) === this.#place.value.rest[0]) ?? null;
  }

  /** `/new`, `/7`, `/7/edit`, `/7/password`. */
  #drawer({ rows, roles }: People) {
    const [first, second] = this.#place.value.rest;
    const principal = this.#opened(rows);
    const isNew = first === 'new' && this.#isWritable();
    const part = this.#isWritable() ? second : undefined;
    const isRecord = part !== 'edit' && part !== 'password';
    return html`<gw-drawer
      heading=${isNew ? 'Add a principal' : (principal?.name ?? '')}
      ?open=${isNew || principal !== null}
      @gw-close=${this.#close}
    >
      ${principal !== null && isRecord && this.#isWritable() ? this.#actions(principal) : nothing}
      ${isNew || (principal !== null && part === 'edit') ? this.#form(principal) : nothing}
      ${principal !== null && part === 'password' ? this.#password(principal) : nothing}
      ${
        principal !== null && isRecord
          ? html`<gw-principal-record
              .principal=${principal}
              .roles=${roles}
              ?writable=${this.#isWritable()}
              @gw-grant=${({ detail }: CustomEvent<string>) =>
                this.#ask(grantOf(principal, detail, roles))}
              @gw-revoke=${({ detail }: CustomEvent<string>) =>
                this.#ask(revokeOf(principal, detail, roles))}
            ></gw-principal-record>`
          : nothing
      }
    </gw-drawer>`;
  }

  #form(principal: Known | null) {
    return html`<gw-principal-form
      .principal=${principal}
      .failure=${this.failure}
      ?busy=${this.busy}
      @gw-submit=${({ detail }: CustomEvent<PrincipalDraft>) =>
        principal === null ? this.#create(detail) : this.#ask(changeOf(principal, detail))}
      @gw-cancel=${() => (principal === null ? this.#close() : openRest([principal.id]))}
    ></gw-principal-form>`;
  }

  #password(principal: Known) {
    return html`<gw-password-form
      .kind=${principal.kind}
      .failure=${this.failure}
      @gw-submit=${({ detail }: CustomEvent<string>) => this.#ask(passwordOf(principal, detail))}
      @gw-cancel=${() => openRest([principal.id])}
    ></gw-password-form>`;
  }

  #actions(principal: Known) {
    return html`<a slot="actions" class="button" href=${this.#link(principal.id, 'edit')}
        ><gw-icon name="pencil"></gw-icon>Change</a
      >
      <gw-menu
        slot="actions"
        icon="ellipsis"
        label="More"
        .items=${[
          { value: 'password', label: 'Set password', icon: 'key-round' },
          { value: 'delete', label: 'Delete', icon: 'trash-2', danger: true },
        ]}
        @gw-choose=${({ detail }: CustomEvent<string>) =>
          detail === 'delete'
            ? this.#ask(deletionOf(principal))
            : openRest([principal.id, 'password'])}
      ></gw-menu>`;
  }

  #ask(save: Save): void {
    this.failure = null;
    this.save = save;
  }

  async #create(draft: PrincipalDraft): Promise<void> {
    this.busy = true;
    this.failure = null;
    try {
      const { body, snapshotVersion } = await createPrincipal(principalBody(draft));
      void announce({ text: `Principal ${body.name} added`, version: snapshotVersion });
      await this.#people.reload();
      openRest([body.id]);
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  }

  /** What goes with a principal that is deleted; what a password does besides. */
  #words(rows: readonly Known[]) {
    const principal = this.#opened(rows);
    if (principal === null || this.save === null) return nothing;
    if (this.save.verb === 'Set password') {
      return html`<p>
        ${
          principal.kind === 'user'
            ? 'Its sessions end; it logs in anew with the new password.'
            : 'It becomes a user, a person who can log in here. That cannot be taken back.'
        }
      </p>`;
    }
    if (this.save.danger !== true) return nothing;
    const { keys, roles, limits, budget } = principal;
    const lost = [
      `${formatCount(keys, 'key')} that open${keys === 1 ? 's' : ''} nothing from then on`,
      roles.length === 0 ? 'no role' : `its roles: ${roles.join(', ')}`,
      'its sessions',
      ...(limits === null ? [] : ['its rate limits']),
      ...(budget === null ? [] : ['its budget, and what it has spent of it']),
    ];
    return html`<p>With it go:</p>
      <ul>
        ${lost.map((one) => html`<li>· ${one}</li>`)}
      </ul>
      <p>What it has used stays in the reports.</p>`;
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
    await this.#people.reload();
    openRest(isDeletion || id === undefined ? [] : [id]);
  };

  /** Back to the form, to the field that is wrong. */
  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (this.#place.value.rest[1] === undefined) return;
    this.save = null;
    this.failure = detail;
  };
}

customElements.define('gw-screen-principals', ScreenPrincipals);
