// Folds the events of a role.

import { isSetter } from '../../events/catalogue.ts';
import type { RoleEvent } from '../../events/role.ts';
import type { RoleId } from '../../src/lib/ids.ts';
import type { Verb } from '../../src/lib/vocabulary.ts';
import { checkAbsent, existing, withSet } from './entity.ts';

export type Permission = Readonly<{ verb: Verb; resource: string }>;

/** Permissions are sorted by verb, then resource. */
export type Role = Readonly<{
  id: RoleId;
  name: string;
  description: string | null;
  permissions: readonly Permission[];
}>;

export function evolveRole(role: Role | undefined, event: RoleEvent): Role | undefined {
  if (isSetter(event)) return withSet(existing(role, event), event.data);
  switch (event.type) {
    case 'RoleCreated':
      checkAbsent(role, event);
      return { ...event.data, permissions: [] };
    case 'RolePermissionGranted': {
      const before = existing(role, event);
      const { verb, resource } = event.data;
      return {
        ...before,
        permissions: [...before.permissions, { verb, resource }].toSorted(byVerbAndResource),
      };
    }
    case 'RolePermissionRevoked': {
      const before = existing(role, event);
      return {
        ...before,
        permissions: before.permissions.filter((held) => !samePermission(held, event.data)),
      };
    }
    case 'RoleDeleted':
      existing(role, event);
      return undefined;
  }
}

export const samePermission = (a: Permission, b: Permission): boolean =>
  a.verb === b.verb && a.resource === b.resource;

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const byVerbAndResource = (a: Permission, b: Permission): number =>
  order(a.verb, b.verb) || order(a.resource, b.resource);
