// Draws one role: its permissions and its holders.

import { html, nothing } from 'lit';

import { permissionText } from '../../lib/access/permissions.ts';
import type { Role } from '../../api/records.ts';
import { formatCount } from '../../lib/text/format.ts';
import { facts, idFact, none, remover } from '../../parts/facts.ts';
import type { RecordScreen } from '../../parts/record-screen.ts';
import { linkTo } from '../../state/location.ts';
import './grant.ts';
import type { HeldRole } from './load.ts';
import { grantOf, revokeOf } from './saves.ts';

type Permission = Role['permissions'][number];

const holdersMax = 50;

export const roleRecord = (role: HeldRole, at: RecordScreen) =>
  html`${facts([['Description', role.description ?? none], idFact(role.id)])}
    <div class="section"><h3>Permissions</h3></div>
    ${
      role.permissions.length === 0
        ? html`<p class="notice warn">No permissions. This role does not allow anything.</p>`
        : html`<ul class="rows" aria-label="Permissions">
            ${role.permissions.map((one) => permissionRow(role, one, at))}
          </ul>`
    }
    ${
      at.isWritable()
        ? html`<gw-grant
            .held=${role}
            @gw-grant=${({ detail }: CustomEvent<Permission>) => at.ask(grantOf(role, detail))}
          ></gw-grant>`
        : nothing
    }
    ${holdersOf(role)}`;

const permissionRow = (role: HeldRole, permission: Permission, at: RecordScreen) =>
  html`<li>
    <code>${permission.verb}</code>
    ${permission.resource === '*' ? nothing : html`<code>${permission.resource}</code>`}
    ${
      at.isWritable()
        ? remover(`Revoke ${permissionText(permission)}`, 'Revoke', () =>
            at.ask(revokeOf(role, permission)),
          )
        : nothing
    }
  </li>`;

function holdersOf({ name, holders }: HeldRole) {
  const more = holders.length - holdersMax;
  return html`<div class="section">
      <h3>Holders: ${holders.length === 0 ? 'none' : formatCount(holders.length, 'principal')}</h3>
    </div>
    <ul class="holders">
      ${holders.slice(0, holdersMax).map(
        (one) =>
          html`<li>
            <a href=${linkTo({ screen: 'principals', rest: [one.id] })}>${one.name}</a>
          </li>`,
      )}
      ${
        more > 0
          ? html`<li>
              <a href=${linkTo({ screen: 'principals', query: { role: name } })}>${more} more</a>
            </li>`
          : nothing
      }
    </ul>`;
}
