// Principals: who calls, and who administers. The list, one of them with what it may do, a new one, its roles and its password.

import { html, nothing } from 'lit';

import '../elements/empty.ts';
import { loaded, troubleOf } from '../elements/loaded.ts';
import '../elements/overlay/menu.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import type { Column } from '../elements/table/table.ts';
import '../elements/time.ts';
import { nearerCap } from '../lib/access/budget.ts';
import { formatCount, formatNumber } from '../lib/text/format.ts';
import { narrowed } from '../lib/text/narrow.ts';
import { copyRecord } from '../parts/copy-record.ts';
import { nearerBar } from '../parts/budget.ts';
import { historyOf } from '../parts/entity-history.ts';
import { narrowedBy } from '../parts/narrowed.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { openRest } from '../state/location.ts';
import './principals/form.ts';
import { loadPeople } from './principals/load.ts';
import type { Known, People } from './principals/load.ts';
import './principals/password.ts';
import './principals/record.ts';
import { deletionOf, grantOf, revokeOf, unlinkingOf } from './principals/saves.ts';

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

const unlinkItem = {
  value: 'unlink',
  label: 'Unlink identity',
  icon: 'unlink',
  danger: true,
} as const;

/** What goes with an identity, and what does not. */
const unlinkedWords = ({ group_roles: roles }: Known) =>
  html`<p>
      The sessions that it began
      end${roles.length === 0 ? '' : `, and the roles of its groups go: ${roles.join(', ')}`}.
    </p>
    <p>
      It is not linked with this principal again until somebody sets the name or the e-mail address
      of the principal anew. A password stays, and so do keys.
    </p>`;

class ScreenPrincipals extends RecordScreen {
  protected override readonly screen = 'principals';
  readonly #people = new Resource(this, loadPeople, { pollMs: 60_000 });

  protected override reload(): Promise<void> {
    return this.#people.reload();
  }

  protected override render() {
    const { value: people } = this.#people;
    const rows = people?.rows ?? [];
    return html`<gw-page heading="Principals" about="Users and service accounts">
        ${this.adder('Add principal', { inHead: true })} ${troubleOf(this.#people)}
        ${loaded(this.#people, () => (rows.length === 0 ? this.#empty() : this.#list(rows)))}
      </gw-page>
      ${people === undefined ? nothing : this.#opened(this.openedIn(rows), people)}
      ${this.asking(this.#words(this.openedIn(rows)))}`;
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
      ${this.adder('Add principal', { inHead: false })}
    </gw-empty>`;
  }

  /** All of them, or those that hold one role. */
  #list(all: readonly Known[]) {
    const { role = '' } = this.query;
    return this.table({
      label: 'Principals',
      noun: 'principal',
      columns,
      rows: narrowed(all, role, ({ roles }) => roles),
      isStale: this.#people.failure !== null,
      bar: narrowedBy({
        asked: role,
        words: `Who hold ${role}`,
        href: this.viewLink({ role: '' }),
      }),
    });
  }

  /** `/new`, `/7`, `/7/edit`, `/7/password`. */
  #opened(principal: Known | null, { roles }: People) {
    const form = this.#form(principal);
    return this.drawer({
      heading: this.isNew() ? 'Add a principal' : (principal?.name ?? ''),
      actions: principal === null || form !== null ? nothing : this.#actions(principal),
      content: form ?? (principal === null ? null : this.#record(principal, roles)),
    });
  }

  #form(principal: Known | null) {
    const part = this.aspect();
    if (this.isNew() || (principal !== null && part === 'edit')) {
      return html`<gw-principal-form
        .row=${principal}
        .failure=${this.failure}
      ></gw-principal-form>`;
    }
    if (principal === null || part !== 'password') return null;
    return html`<gw-password-form .row=${principal} .failure=${this.failure}></gw-password-form>`;
  }

  #record(principal: Known, roles: People['roles']) {
    const grant = ({ detail }: CustomEvent<string>): void =>
      this.ask(grantOf(principal, detail, roles));
    const revoke = ({ detail }: CustomEvent<string>): void =>
      this.ask(revokeOf(principal, detail, roles));
    return html`<gw-principal-record
        .principal=${principal}
        .roles=${roles}
        ?writable=${this.isWritable()}
        @gw-grant=${grant}
        @gw-revoke=${revoke}
      ></gw-principal-record
      >${historyOf('principal', principal)}`;
  }

  #actions(principal: Known) {
    const copy = copyRecord(this.screen, principal);
    if (!this.isWritable()) return copy;
    return html`${copy} ${this.changeLink(principal.id)}
      <gw-menu
        slot="actions"
        icon="ellipsis"
        label="More"
        .items=${[
          { value: 'password', label: 'Set password', icon: 'key-round' },
          ...(principal.identity === null ? [] : [unlinkItem]),
          { value: 'delete', label: 'Delete', icon: 'trash-2', danger: true },
        ]}
        @gw-choose=${({ detail }: CustomEvent<string>) => this.#onChoose(principal, detail)}
      ></gw-menu>`;
  }

  #onChoose(principal: Known, chosen: string): void {
    if (chosen === 'delete') this.ask(deletionOf(principal));
    else if (chosen === 'unlink') {
      this.ask(unlinkingOf(principal, this.#people.value?.roles ?? []));
    } else openRest([principal.id, 'password']);
  }

  /** What goes with a principal that is deleted, and with its identity; what a password does besides. */
  #words(principal: Known | null) {
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
    if (this.save.verb === 'Unlink identity') return unlinkedWords(principal);
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
}

customElements.define('gw-screen-principals', ScreenPrincipals);
