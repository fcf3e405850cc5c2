// Flow control of a backend as the gateway uses it: every field with its default (specification, "Flow-control fields on a backend").

import { flowFields } from '../../fields/model.ts';
import type { SnapshotBackend } from '../schema.ts';

export type FlowControl = Readonly<{
  /** Most concurrent requests that a replica sends the engine. */
  concurrentMax: number;
  /** Depth of the engine's own queue at which the ceiling halves. */
  highWater: number;
  /** Requests that may wait at the proxy. */
  queuedMax: number;
  /** Longest wait for a slot. */
  waitMsMax: number;
}>;

/** Null while the gate is off, which it is until a most of concurrent requests is set. */
export function flowControlOf(backend: SnapshotBackend): FlowControl | null {
  const concurrentMax = backend.admission_max_concurrent;
  if (concurrentMax === null) return null;
  return {
    concurrentMax: Math.max(1, concurrentMax),
    highWater: backend.admission_high_water ?? flowFields.admission_high_water.default,
    queuedMax: backend.admission_max_queued ?? flowFields.admission_max_queued.default,
    waitMsMax:
      1000 * (backend.admission_max_wait_seconds ?? flowFields.admission_max_wait_seconds.default),
  };
}

/** The rest, which tells endpoints apart: a change of its flow control leaves an endpoint what it is. */
export const withoutFlowControl = ({ upstream_timeout_seconds, ...backend }: SnapshotBackend) => {
  const rest = Object.entries(backend).filter(([name]) => !Object.hasOwn(flowFields, name));
  return { upstream_timeout_seconds, ...Object.fromEntries(rest) };
};
