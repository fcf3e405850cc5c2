// Defines the screen of roles: named sets of permissions.

import { css, html, nothing } from 'lit';

import { blankRole, fromRole } from '../lib/access/role-draft.ts';
import { invokable, permissionText } from '../lib/access/permissions.ts';
import type { Save } from '../lib/saves/save.ts';
import { formatCount } from '../lib/text/format.ts';
import { recordForm } from '../parts/form-as-data.ts';
import { resourceScreen } from '../parts/resource-screen.ts';
import { linkTo } from '../state/location.ts';
import { loadRoles } from './roles/load.ts';
import type { HeldRole } from './roles/load.ts';
import { roleRecord } from './roles/record.ts';
import { removalOf, saveOf } from './roles/saves.ts';

/** A new role opens after its creation, because it needs permissions. */
resourceScreen<HeldRole, Awaited<ReturnType<typeof loadRoles>>>({
  screen: 'roles',
  about: 'Named sets of permissions for principals',
  noun: 'role',
  add: 'Create role',
  adding: 'Create role',
  empty: {
    heading: 'No roles in this version',
    about:
      'A role is a named set of permissions, such as invoking some models. Principals can do only what their roles allow.',
    body: { name: 'readers', description: 'Can read usage' },
  },
  load: loadRoles,
  pollMs: 30_000,
  columns: [
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
  ],
  form: (role) =>
    recordForm({
      isNew: role === null,
      draft: role === null ? blankRole : fromRole(role),
      fields: () => [
        {
          name: 'name',
          label: 'Name',
          hint:
            role === null
              ? 'You grant permissions next'
              : 'Principals keep the role under its new name',
          required: true,
        },
        { name: 'description', label: 'Description', type: 'textarea' },
      ],
      save: (draft) => saveOf(role, draft),
    }),
  record: roleRecord,
  deletion: removalOf,
  words,
  styles: css`
    .holders {
      display: flex;
      flex-wrap: wrap;
      gap: var(--space-1) var(--space-3);
    }
  `,
});

function words(save: Save, role: HeldRole | null) {
  if (role === null) return nothing;
  const { name, holders } = role;
  if (save.danger !== true) {
    return html`<p>
      ${formatCount(holders.length, 'principal')} ${holders.length === 1 ? 'holds' : 'hold'} this
      role.
    </p>`;
  }
  if (holders.length === 0) return html`<p>No principal holds this role.</p>`;
  const first = holders.slice(0, 20).map((one) => one.name);
  return html`<p>
      ${formatCount(holders.length, 'principal')} still ${holders.length === 1 ? 'holds' : 'hold'}
      this role. Revoke it from them first:
    </p>
    <p><code>${first.join(', ')}${holders.length > 20 ? '…' : ''}</code></p>
    <p><a href=${linkTo({ screen: 'principals', query: { role: name } })}>View holders</a></p>`;
}
