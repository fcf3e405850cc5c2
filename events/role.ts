// Defines the events of roles and their permissions. Holders and grants reference a role by id, so
// renaming it does not affect them.

import { z } from 'zod';

import { roleId } from '../src/lib/ids.ts';
import { verb } from '../src/lib/vocabulary.ts';
import { setter } from './event.ts';
import type { EventDefinition, EventOf } from './event.ts';

const permission = z.object({ id: roleId, verb, resource: z.string() });

export const roleEvents = {
  RoleCreated: {
    touchesSnapshot: true,
    data: z.object({ id: roleId, name: z.string(), description: z.string().nullable() }),
  },
  RoleRenamed: setter({ id: roleId, name: z.string() }),
  RoleDescribed: setter(
    { id: roleId, description: z.string().nullable() },
    { touchesSnapshot: false },
  ),
  RolePermissionGranted: { touchesSnapshot: true, data: permission },
  RolePermissionRevoked: { touchesSnapshot: true, data: permission },
  RoleDeleted: { touchesSnapshot: true, data: z.object({ id: roleId }) },
} as const satisfies Record<string, EventDefinition>;

export type RoleEvent = EventOf<typeof roleEvents>;
