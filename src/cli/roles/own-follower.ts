// Lets the gateway of role all follow the control plane of its process. Deltas need no verification,
// because they were made in the same process.

import type { Published } from '../../control/publishing/published.ts';
import type { Live } from '../../gateway/config/live.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { holdSnapshot } from '../../snapshot/delta/held.ts';
import type { HeldSnapshot } from '../../snapshot/delta/held.ts';
import { applyDelta, lookupsOf } from '../../snapshot/delta/recompile.ts';
import type { HeldLookups } from '../../snapshot/delta/recompile.ts';

type Following = Readonly<{ root: string; held: HeldSnapshot; lookups: HeldLookups }>;

/** Serves a published snapshot, or refuses it and keeps the one before. */
export function createOwnFollower(live: Live): (published: Published) => Refusal | undefined {
  let following: Following | null = null;
  return (published) => {
    const { edition, root, delta } = published;
    if (following !== null && delta?.base === following.root) {
      const { held } = following;
      const lookups = applyDelta(held, following.lookups, delta);
      following = { root, held, lookups };
      live.serve(lookups.compiled, edition);
      return undefined;
    }
    following = null;
    const { snapshot } = published;
    const refusal = live.apply(snapshot);
    const compiled = live.current();
    if (refusal !== undefined || compiled === null) return refusal;
    following = { root, held: holdSnapshot(snapshot), lookups: lookupsOf(compiled) };
    return undefined;
  };
}
