// Holds the counters and the state of the operator, and the source of its metrics.

import type { DeploymentStatus } from '../kubernetes/gw-deployment.ts';
import type { Source } from '../telemetry/scrape.ts';

const passResults = ['done', 'again', 'failed'] as const;
/** `conflict`: another writer was first; the next pass sees its change. */
const writeResults = ['written', 'conflict', 'refused'] as const;
const phases = ['Pending', 'Upgrading', 'Bootstrapping', 'Degraded', 'Ready'] as const;
type Phase = DeploymentStatus['phase'];

export type OperatorCounts = {
  isLeading: boolean;
  /** The last answer about the Lease, in monotonic milliseconds; null before the first. */
  heardAtMs: number | null;
  readonly passes: Record<(typeof passResults)[number], number>;
  readonly writes: Record<(typeof writeResults)[number], number>;
  /** Null if this operator does not lead. Set by the last pass. */
  phases: readonly Phase[] | null;
};

export const newOperatorCounts = (): OperatorCounts => ({
  isLeading: false,
  heardAtMs: null,
  passes: { done: 0, again: 0, failed: 0 },
  writes: { written: 0, conflict: 0, refused: 0 },
  phases: null,
});

/** Every value of a bounded label exists from the start. */
export const operatorSource =
  (counts: OperatorCounts): Source =>
  (scrape) => {
    scrape.add('operatorLeading', {}, counts.isLeading ? 1 : 0);
    for (const result of passResults)
      scrape.add('operatorPasses', { result }, counts.passes[result]);
    for (const result of writeResults)
      scrape.add('operatorWrites', { result }, counts.writes[result]);
    const met = counts.phases;
    if (met === null) return;
    for (const phase of phases) {
      scrape.add('operatorDeployments', { phase }, met.filter((one) => one === phase).length);
    }
  };
