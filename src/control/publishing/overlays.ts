// Reads and numbers the overlay of a snapshot: the part that changes without a new version.

import type { ConfigState } from '../../../projections/config/state.ts';
import { degradedProviders } from '../../../projections/snapshot.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SnapshotOverlay } from '../../snapshot/schema.ts';
import type { BudgetOverlay, Budgets } from '../usage/budgets.ts';
import type { CloudProvider, CloudTokens } from '../providers/cloud-token.ts';

export type Overlays = Readonly<{
  /** `note` must be called if the overlay is published. */
  next: (state: ConfigState) => Promise<Readonly<{ overlay: SnapshotOverlay; note: () => void }>>;
}>;

type Dependencies = Readonly<{
  budgets: Pick<Budgets, 'overlay'>;
  cloudTokens: Pick<CloudTokens, 'overlayOf'>;
  cloudProviders: () => readonly CloudProvider[];
  clock: Clock;
}>;

export function createOverlays(dependencies: Dependencies): Overlays {
  const { budgets, cloudTokens, cloudProviders, clock } = dependencies;
  let before: Numbered = { seq: 0, own: { tokens: [], dropped_providers: [] }, budgetSeq: 0 };
  return {
    next: async (state) => {
      const { tokens, dropped_providers: dropped } = await cloudTokens.overlayOf(cloudProviders());
      const own = { tokens, dropped_providers: [...dropped, ...degradedProviders(state)] };
      const { seq: budgetSeq, uses } = budgets.overlay(state);
      const seq = overlaySeq({ own, budgetSeq }, before, clock);
      return {
        overlay: { seq, budgets: uses, ...own },
        note: () => void (before = { seq, own, budgetSeq }),
      };
    },
  };
}

/** The parts that differ between replicas: tokens, and providers out of rotation. */
type OwnParts = Omit<SnapshotOverlay, 'seq' | 'budgets'>;

type Contents = Readonly<{ own: OwnParts; budgetSeq: BudgetOverlay['seq'] }>;
type Numbered = Contents & Readonly<{ seq: number }>;

/**
 * The sequence number of the overlay. That of the budgets is equal on all replicas. It is used
 * while the overlay has no other parts, so that a proxy that changes replicas fetches nothing
 * twice. Tokens differ between replicas, and each learns by itself which providers are out of
 * rotation. With such parts the number comes from the clock, so that two replicas never give
 * different overlays the same ETag.
 */
function overlaySeq({ own, budgetSeq }: Contents, before: Numbered, clock: Clock): number {
  if (canonicalJson(own) !== canonicalJson(before.own)) {
    return Math.max(before.seq + 1, budgetSeq, clock());
  }
  if (budgetSeq === before.budgetSeq) return before.seq;
  return before.seq === before.budgetSeq ? budgetSeq : Math.max(before.seq + 1, budgetSeq);
}
