// One principal: what is known of it, the roles that it holds, what it may do by them, its limits, and what can be done to it.

import { html, nothing } from 'lit';

import '../../elements/overlay/menu.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import type { Save } from '../../lib/saves/save.ts';
import { moneyBar, tokensBar } from '../../parts/budget.ts';
import { copyRecord } from '../../parts/copy-record.ts';
import { copied, facts, idFact, none, remover } from '../../parts/facts.ts';
import type { Fact } from '../../parts/facts.ts';
import type { RecordScreen } from '../../parts/record-screen.ts';
import { usageFact } from '../../parts/usage-links.ts';
import { linkTo, openRest } from '../../state/location.ts';
import './grant-role.ts';
import type { Known, People } from './load.ts';
import { grantOf, removalOf, revokeOf, unlinkingOf } from './saves.ts';

type Roles = People['roles'];

export function principalRecord(principal: Known, at: RecordScreen, { roles }: People) {
  const { id, kind, email, keys, name, created_at } = principal;
  const keysLink = linkTo({ screen: 'keys', query: { principal: String(id) } });
  const another = linkTo({ screen: 'keys', rest: ['new', id] });
  return html`${facts([
    ['Kind', kind === 'user' ? 'user, a person' : 'service account, a program'],
    ['E-mail', email ?? none],
    ...identityFacts(principal),
    idFact(id),
    [
      'Keys',
      html`<a href=${keysLink}>${formatCount(keys, 'key')}</a>${
          at.isWritable() ? html` · <a href=${another}>create one</a>` : nothing
        }`,
    ],
    usageFact({ grouping: 'principal', name }),
    ['Created', html`<gw-time at=${created_at}></gw-time>`],
  ])}
  ${rolesOf(principal, at, roles)} ${permissionsOf(principal)} ${limitsOf(principal, at)}`;
}

/** Only where people sign on by an issuer. */
function identityFacts({ identity }: Known): readonly Fact[] {
  if (identity === null) return [];
  const { issuer, subject, linked_at } = identity;
  return [
    ['Signs in by', html`${issuer}, since <gw-time at=${linked_at}></gw-time>`],
    [
      'Subject there',
      subject === '' ? html`<span class="quiet">erased</span>` : copied(subject, 'subject'),
    ],
  ];
}

function rolesOf(principal: Known, at: RecordScreen, roles: Roles) {
  const { roles: held, group_roles: groups } = principal;
  const others = roles.filter(({ name }) => !held.includes(name)).map(({ name }) => name);
  const row = (role: string) => {
    const id = roles.find(({ name }) => name === role)?.id;
    const link = html`<a href=${linkTo({ screen: 'roles', rest: [id ?? 0] })}>${role}</a>`;
    return html`<li>
      ${id === undefined ? role : link}
      ${groups.includes(role) ? html`<span class="via">by a group</span>` : nothing}
      ${
        at.isWritable()
          ? remover(`Revoke ${role}`, 'Revoke', () => at.ask(revokeOf(principal, role, roles)))
          : nothing
      }
    </li>`;
  };
  return html`<div class="section"><h3>Roles</h3></div>
    ${
      held.length === 0
        ? html`<p class="quiet">It holds no role, so it may do nothing.</p>`
        : html`<ul class="rows">
            ${held.map(row)}
          </ul>`
    }
    ${
      at.isWritable() && others.length > 0
        ? html`<gw-grant-role
            .roles=${others}
            @gw-grant=${({ detail }: CustomEvent<string>) =>
              at.ask(grantOf(principal, detail, roles))}
          ></gw-grant-role>`
        : nothing
    }`;
}

const permissionsOf = ({ permissions, mayInvoke }: Known) =>
  html`<div class="section"><h3>Effective permissions</h3></div>
    <p class="notice ${mayInvoke === 'no model' ? 'warn' : ''}">Can invoke: ${mayInvoke}.</p>
    ${
      permissions.length === 0
        ? nothing
        : html`<ul class="rows" aria-label="Effective permissions">
            ${permissions.map(
              ({ verb, resource, via }) =>
                html`<li>
                  <code>${verb}</code>
                  ${resource === '*' ? nothing : html`<code>${resource}</code>`}
                  <span class="via end">by ${via.join(', ')}</span>
                </li>`,
            )}
          </ul>`
    }`;

const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'unlimited' : `${formatNumber(value)} a minute`;

function limitsOf({ id, limits, budget }: Known, at: RecordScreen) {
  const bars = (of: NonNullable<typeof budget>) =>
    html`<div class="bars">
      ${moneyBar(of, { stacked: true })} ${tokensBar(of, { stacked: true })}
    </div>`;
  return html`<div class="section">
      <h3>Limits and budget</h3>
      <a href=${linkTo({ screen: 'limits', rest: [id] })}>${at.isWritable() ? 'Edit' : 'View'}</a>
    </div>
    ${facts([
      ['Requests', rate(limits?.requests_per_min)],
      ['Tokens', rate(limits?.tokens_per_min)],
      ['Budget', budget === null ? 'unlimited' : bars(budget)],
    ])}`;
}

const unlinkItem = {
  value: 'unlink',
  label: 'Unlink identity',
  icon: 'unlink',
  danger: true,
} as const;

export function principalActions(principal: Known, at: RecordScreen, { roles }: People) {
  const copy = copyRecord('principals', principal);
  if (!at.isWritable()) return copy;
  const choose = ({ detail }: CustomEvent<string>): void => {
    if (detail === 'delete') at.ask(removalOf(principal));
    else if (detail === 'unlink') at.ask(unlinkingOf(principal, roles));
    else openRest([principal.id, 'password']);
  };
  return html`${copy} ${at.changeLink(principal.id)}
    <gw-menu
      slot="actions"
      icon="ellipsis"
      label="More"
      .items=${[
        { value: 'password', label: 'Set password', icon: 'key-round' },
        ...(principal.identity === null ? [] : [unlinkItem]),
        { value: 'delete', label: 'Delete', icon: 'trash-2', danger: true },
      ]}
      @gw-choose=${choose}
    ></gw-menu>`;
}

/** What goes with a principal that is deleted, and with its identity; what a password does besides. */
export function principalWords({ verb, danger }: Save, principal: Known | null) {
  if (principal === null) return nothing;
  if (verb === 'Set password') {
    return html`<p>
      ${
        principal.kind === 'user'
          ? 'Its sessions end; it logs in anew with the new password.'
          : 'It becomes a user, a person who can log in here. That cannot be taken back.'
      }
    </p>`;
  }
  if (danger !== true) return nothing;
  if (verb === 'Unlink identity') return unlinkedWords(principal);
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

/** What goes with an identity, and what does not. */
const unlinkedWords = ({ group_roles: roles }: Known) =>
  html`<p>
      The sessions that it began
      end${roles.length === 0 ? '' : `, and the roles of its groups go: ${roles.join(', ')}`}.
    </p>
    <p>
      It is not linked with this principal again until somebody sets the name or the e-mail address
      of the principal again. A password stays, and so do keys.
    </p>`;
