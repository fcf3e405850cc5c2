// What can be done to a principal, each as a save: what changes, and the call that changes it.

import { call } from '../../api/http/call.ts';
import { effectivePermissions, invokable } from '../../lib/access/permissions.ts';
import { principalBody, principalChange } from '../../lib/access/principal-draft.ts';
import type { PrincipalDraft } from '../../lib/access/principal-draft.ts';
import { theList, theMade } from '../../lib/saves/save.ts';
import type { Save } from '../../lib/saves/save.ts';
import type { Known, People } from './load.ts';

export function creationOf(draft: PrincipalDraft): Save {
  const body = principalBody(draft);
  return {
    heading: `Add principal ${body.name}`,
    verb: 'Add principal',
    done: `Principal ${body.name} added`,
    before: {},
    after: body,
    opens: theMade,
    run: (change) => call('POST', '/admin/principals', { body, ...change }),
  };
}

export function changeOf(principal: Known, draft: PrincipalDraft): Save {
  const body = principalChange(draft, principal);
  return {
    heading: `Change ${principal.name}`,
    verb: 'Publish change',
    done: `Principal ${principal.name} changed`,
    before: { name: principal.name, email: principal.email },
    after: body,
    run: (change) =>
      call('PATCH', '/admin/principals/{id}', {
        params: { id: principal.id },
        body,
        version: principal.version,
        ...change,
      }),
  };
}

/** Shows the roles, and what it may invoke by them then. */
function rolesSave(
  { principal, roles }: Readonly<{ principal: Known; roles: People['roles'] }>,
  held: readonly string[],
): Pick<Save, 'before' | 'after'> {
  const shown = (names: readonly string[]) => ({
    roles: names.join(', ') || null,
    'can invoke': invokable(effectivePermissions(names, roles)),
  });
  return { before: shown(principal.roles), after: shown(held) };
}

export function grantOf(principal: Known, role: string, roles: People['roles']): Save {
  return {
    heading: `Grant ${role} to ${principal.name}`,
    verb: 'Grant role',
    done: `Role ${role} granted to ${principal.name}`,
    ...rolesSave({ principal, roles }, [...principal.roles, role].toSorted()),
    run: (change) =>
      call('POST', '/admin/principals/{id}/roles', {
        params: { id: principal.id },
        body: { role },
        version: principal.version,
        ...change,
      }),
  };
}

export function revokeOf(principal: Known, role: string, roles: People['roles']): Save {
  const held = principal.roles.filter((one) => one !== role);
  return {
    heading: `Revoke ${role} from ${principal.name}`,
    verb: 'Revoke role',
    done: `Role ${role} revoked from ${principal.name}`,
    ...rolesSave({ principal, roles }, held),
    run: (change) =>
      call('DELETE', '/admin/principals/{id}/roles/{role}', {
        params: { id: principal.id, role },
        version: principal.version,
        ...change,
      }),
  };
}

/** The password itself is in no table. */
export function passwordOf(principal: Known, password: string): Save {
  return {
    heading: `Set a password for ${principal.name}`,
    verb: 'Set password',
    done: `Password of ${principal.name} set`,
    before: { kind: principal.kind },
    after: principal.kind === 'user' ? null : { kind: 'user' },
    run: (change) =>
      call('PUT', '/admin/principals/{id}/password', {
        params: { id: principal.id },
        body: { password },
        version: principal.version,
        ...change,
      }),
  };
}

/** Its roles by hand stay. */
export function unlinkingOf(principal: Known, roles: People['roles']): Save {
  const held = principal.roles.filter((one) => !principal.group_roles.includes(one));
  return {
    heading: `Unlink the identity of ${principal.name}`,
    verb: 'Unlink identity',
    done: `Identity of ${principal.name} unlinked`,
    ...rolesSave({ principal, roles }, held),
    danger: true,
    name: principal.name,
    run: (change) =>
      call('DELETE', '/admin/principals/{id}/identity', {
        params: { id: principal.id },
        version: principal.version,
        ...change,
      }),
  };
}

export function deletionOf(principal: Known): Save {
  return {
    heading: `Delete ${principal.name}`,
    verb: 'Delete principal',
    done: `Principal ${principal.name} deleted`,
    before: null,
    after: null,
    danger: true,
    name: principal.name,
    opens: theList,
    run: (change) =>
      call('DELETE', '/admin/principals/{id}', {
        params: { id: principal.id },
        version: principal.version,
        ...change,
      }),
  };
}
