// Roles: permissions by one name. The list with who holds each, one of them beside it, and what is granted to it.

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

/** A new role is opened after it was added: without permissions it is of no use. */
resourceScreen<HeldRole, Awaited<ReturnType<typeof loadRoles>>>({
  screen: 'roles',
  heading: 'Roles',
  about: 'Named sets of permissions for principals',
  icon: 'shield-check',
  noun: 'role',
  add: 'Create role',
  adding: 'Create role',
  empty: {
    heading: 'No roles at this moment',
    about:
      'A role is a name for permissions, such as to invoke some models. Principals do what their roles let them, and nothing else.',
    body: { name: 'readers', description: 'May read usage' },
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
              ? 'Its permissions are granted next'
              : 'Who holds it keeps it under the new name',
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
    return html`<p>It is held by ${formatCount(holders.length, 'principal')}.</p>`;
  }
  if (holders.length === 0) return html`<p>No principal holds it.</p>`;
  const first = holders.slice(0, 20).map((one) => one.name);
  return html`<p>
      ${formatCount(holders.length, 'principal')} still hold${holders.length === 1 ? 's' : ''} it;
      the deletion is refused until none does:
    </p>
    <p><code>${first.join(', ')}${holders.length > 20 ? '…' : ''}</code></p>
    <p><a href=${linkTo({ screen: 'principals', query: { role: name } })}>See who holds it</a></p>`;
}
