// Compiles the flow control of a backend, with the default of every field (specification,
// "Flow-control fields on a backend").

import { flowFields } from '../../fields/model.ts';
import type { SnapshotBackend } from '../schema.ts';

export type FlowControl = Readonly<{
  /** Per replica. */
  concurrentMax: number;
  /** The engine queue length at which the limit halves. */
  highWater: number;
  /** Those that wait at the proxy. */
  queuedMax: number;
  /** For a slot. */
  waitMsMax: number;
}>;

/** Null while flow control is off: no maximum of concurrent requests is set. */
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

/** The fields that identify an endpoint. Flow control does not. */
export const withoutFlowControl = ({ upstream_timeout_seconds, ...backend }: SnapshotBackend) => {
  const rest = Object.entries(backend).filter(([name]) => !Object.hasOwn(flowFields, name));
  return { upstream_timeout_seconds, ...Object.fromEntries(rest) };
};
