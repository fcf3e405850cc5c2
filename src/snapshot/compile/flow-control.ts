// Flow control of a backend as the gateway uses it: every field with its default (specification, "Flow-control fields on a backend").

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

/** What applies where a backend sets nothing. */
export const flowControlDefaults = { highWater: 4, queuedMax: 64, waitSecondsMax: 30 } as const;

/** Null while the gate is off, which it is until a most of concurrent requests is set. */
export function flowControlOf(backend: SnapshotBackend): FlowControl | null {
  const concurrentMax = backend.admission_max_concurrent;
  if (concurrentMax === null) return null;
  return {
    concurrentMax: Math.max(1, concurrentMax),
    highWater: backend.admission_high_water ?? flowControlDefaults.highWater,
    queuedMax: backend.admission_max_queued ?? flowControlDefaults.queuedMax,
    waitMsMax: (backend.admission_max_wait_seconds ?? flowControlDefaults.waitSecondsMax) * 1000,
  };
}

/** The rest, which tells endpoints apart: a change of its flow control leaves an endpoint what it is. */
export function withoutFlowControl(backend: SnapshotBackend): Partial<SnapshotBackend> {
  const {
    admission_max_concurrent: _concurrent,
    admission_high_water: _highWater,
    admission_max_queued: _queued,
    admission_max_wait_seconds: _wait,
    ...rest
  } = backend;
  return rest;
}
