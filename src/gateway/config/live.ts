// Holds the served configuration. A snapshot is compiled before it becomes active. If compilation fails, the previous one
// stays active.

import { isRefusal } from '../../lib/refusal.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { compileSnapshot } from '../../snapshot/compile.ts';
import type { CompiledSnapshot } from '../../snapshot/compile.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import type { Tuning } from '../../snapshot/tuning.ts';
import type { Log } from '../../telemetry/log.ts';
import type { LogPosition } from '../control-link/lineage.ts';
import { withObservation } from '../control-link/log-observations.ts';

export type RefusedSnapshot = Readonly<{ version: number | null; reason: string }>;

export type Live = Readonly<{
  current: () => CompiledSnapshot | null;
  /** `tuning` is set when the source of the snapshot has its own. */
  apply: (snapshot: Snapshot, tuning?: Tuning) => Refusal | undefined;
  /** Serves lookups that a delta changed. They have the tuning of the snapshot before. */
  serve: (compiled: CompiledSnapshot, position: LogPosition) => void;
  /** Records that a newer snapshot cannot be served. The version is null when it is unreadable. */
  refuse: (version: number | null, reason: string) => void;
  /** Null after a snapshot was applied. */
  refused: () => RefusedSnapshot | null;
  /** Records that the control plane still publishes the served snapshot. */
  confirm: () => void;
  /** Seconds since the last apply or confirmation. 0 before the first. */
  ageSeconds: () => number;
  /** The log positions of the served snapshots, newest first. */
  seen: () => readonly LogObservation[];
  /** Restores the observations of an earlier process. */
  remember: (seen: readonly LogObservation[]) => void;
  /** Also calls the listener now if there is a snapshot. */
  onApply: (listener: (snapshot: CompiledSnapshot) => void) => void;
}>;

export function createLive(dependencies: Readonly<{ log: Log; monotonic: Clock }>): Live {
  const { log, monotonic } = dependencies;
  const listeners: ((snapshot: CompiledSnapshot) => void)[] = [];
  let current: CompiledSnapshot | null = null;
  let confirmedAt = 0;
  let refused: RefusedSnapshot | null = null;
  let seen: readonly LogObservation[] = [];
  const confirm = (): void => {
    confirmedAt = monotonic();
    refused = null;
  };
  const serve = (compiled: CompiledSnapshot, position: LogPosition): void => {
    const { version, models, callers } = compiled;
    for (const reason of compiled.dropped) log.warn({ version }, reason);
    current = compiled;
    seen = withObservation(seen, position);
    confirm();
    for (const listener of listeners) listener(compiled);
    const fields = { version, models: models.size, keys: callers.size };
    log.info(fields, 'snapshot applied');
  };
  return {
    serve,
    current: () => current,
    refuse: (version, reason) => void (refused = { version, reason }),
    refused: () => refused,
    confirm,
    ageSeconds: () => (current === null ? 0 : (monotonic() - confirmedAt) / 1000),
    seen: () => seen,
    remember: (before) => void (seen = before),
    onApply: (listener) => {
      listeners.push(listener);
      if (current !== null) listener(current);
    },
    apply: (snapshot, tuning) => {
      const compiled = compileSnapshot(snapshot, tuning);
      if (isRefusal(compiled)) return compiled;
      serve(compiled, snapshot);
      return undefined;
    },
  };
}
