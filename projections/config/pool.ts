// Folds the events of a pool, with members sorted by position. A null policy splits by weight.

import { isSetter } from '../../events/catalogue.ts';
import type { PoolEvent, PoolMember } from '../../events/pool.ts';
import type { PoolId } from '../../src/lib/ids.ts';
import type { PoolPolicy } from '../../src/lib/vocabulary.ts';
import { checkAbsent, existing, withSet } from './entity.ts';
import { withFound, withLost } from './model-ref.ts';

export type Pool = Readonly<{
  id: PoolId;
  name: string;
  description: string | null;
  policy: PoolPolicy | null;
  members: readonly PoolMember[];
}>;

export function evolvePool(pool: Pool | undefined, event: PoolEvent): Pool | undefined {
  if (isSetter(event)) return withSet(existing(pool, event), event.data);
  switch (event.type) {
    case 'PoolCreated':
      checkAbsent(pool, event);
      return { ...event.data, members: [] };
    case 'PoolMemberLost': {
      const before = existing(pool, event);
      return { ...before, members: withLost(before.members, event.data) };
    }
    case 'PoolMemberFound': {
      const before = existing(pool, event);
      return { ...before, members: withFound(before.members, event.data) };
    }
    case 'PoolDeleted':
      existing(pool, event);
      return undefined;
  }
}

export const poolParts = (event: PoolEvent): Readonly<Record<string, number>> =>
  event.type === 'PoolMembersSet'
    ? { member: Math.max(0, ...event.data.members.map(({ id }) => id)) }
    : {};
