// What an operator counts and how it stands, in plain fields, and the source that reads them when somebody scrapes.

import type { DeploymentStatus } from '../kubernetes/gw-deployment.ts';
import type { Source } from '../telemetry/scrape.ts';

const passResults = ['done', 'again', 'failed'] as const;
/** `conflict`: someone else wrote first, and the next pass sees it. */
const writeResults = ['written', 'conflict', 'refused'] as const;
const phases = ['Pending', 'Upgrading', 'Bootstrapping', 'Degraded', 'Ready'] as const;
type Phase = DeploymentStatus['phase'];

export type OperatorCounts = {
  isLeading: boolean;
  /** When the API server last said who leads, in monotonic milliseconds; null before the first time. */
  heardAtMs: number | null;
  readonly passes: Record<(typeof passResults)[number], number>;
  readonly writes: Record<(typeof writeResults)[number], number>;
  /** Of the managed deployments, as the last pass met them; null for who does not lead. */
  phases: readonly Phase[] | null;
};

export const newOperatorCounts = (): OperatorCounts => ({
  isLeading: false,
  heardAtMs: null,
  passes: { done: 0, again: 0, failed: 0 },
  writes: { written: 0, conflict: 0, refused: 0 },
  phases: null,
});

/** Every value of a bounded label is there from the start. */
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
