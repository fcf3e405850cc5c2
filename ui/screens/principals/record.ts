// Draws one principal: its facts, roles, effective permissions and limits, and the actions for it.

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
    ['Kind', kind === 'user' ? 'user' : 'service account'],
    ['Email', email ?? none],
    ...identityFacts(principal),
    idFact(id),
    [
      'API keys',
      html`<a href=${keysLink}>${formatCount(keys, 'API key')}</a>${
          at.isWritable() ? html` · <a href=${another}>create an API key</a>` : nothing
        }`,
    ],
    usageFact({ grouping: 'principal', name }),
    ['Created', html`<gw-time at=${created_at}></gw-time>`],
  ])}
  ${rolesOf(principal, at, roles)} ${permissionsOf(principal)} ${limitsOf(principal, at)}`;
}

/** Empty unless single sign-on is configured for the principal. */
function identityFacts({ identity }: Known): readonly Fact[] {
  if (identity === null) return [];
  const { issuer, subject, linked_at } = identity;
  return [
    ['Sign-in identity', html`${issuer}, linked <gw-time at=${linked_at}></gw-time>`],
    [
      'Subject',
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
      ${groups.includes(role) ? html`<span class="via">from a group</span>` : nothing}
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
        ? html`<p class="quiet">No roles. This principal cannot call models or administer gw.</p>`
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
                  <span class="via end">from ${via.join(', ')}</span>
                </li>`,
            )}
          </ul>`
    }`;

const rate = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'unlimited' : `${formatNumber(value)} per minute`;

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

export function principalWords({ verb, danger }: Save, principal: Known | null) {
  if (principal === null) return nothing;
  if (verb === 'Set password') {
    return html`<p>
      ${
        principal.kind === 'user'
          ? 'All sessions end. The user must sign in with the new password.'
          : 'The service account becomes a user who can sign in here. This cannot be undone.'
      }
    </p>`;
  }
  if (danger !== true) return nothing;
  if (verb === 'Unlink identity') return unlinkedWords(principal);
  const { keys, roles, limits, budget } = principal;
  const lost = [
    `${formatCount(keys, 'API key')}, which ${keys === 1 ? 'stops' : 'stop'} working`,
    roles.length === 0 ? 'no roles' : `roles: ${roles.join(', ')}`,
    'all sessions',
    ...(limits === null ? [] : ['rate limits']),
    ...(budget === null ? [] : ['the budget and its usage']),
  ];
  return html`<p>This also deletes:</p>
    <ul>
      ${lost.map((one) => html`<li>· ${one}</li>`)}
    </ul>
    <p>Recorded usage is kept.</p>`;
}

const unlinkedWords = ({ group_roles: roles }: Known) =>
  html`<p>
      All single sign-on sessions
      end.${roles.length === 0 ? '' : ` Roles from groups are removed: ${roles.join(', ')}.`}
    </p>
    <p>
      The identity is not linked again until an administrator sets the name or the email of this
      principal. The password and API keys are kept.
    </p>`;
