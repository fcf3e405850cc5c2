// Holds the configuration being served. A snapshot is compiled before it is swapped in, and one
// that cannot be compiled leaves the old one in place.

import { isRefusal } from '../../lib/refusal.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { compileSnapshot } from '../../snapshot/compile.ts';
import type { CompiledSnapshot } from '../../snapshot/compile.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import type { Tuning } from '../../snapshot/tuning.ts';
import type { Log } from '../../telemetry/log.ts';
import { withObservation } from '../control-link/log-observations.ts';

export type RefusedSnapshot = Readonly<{ version: number | null; reason: string }>;

export type Live = Readonly<{
  current: () => CompiledSnapshot | null;
  /** `tuning` when the source of the snapshot has its own. */
  apply: (snapshot: Snapshot, tuning?: Tuning) => Refusal | undefined;
  /** Something newer came and cannot be served; what is served goes on. The version is null when it cannot even be read. */
  refuse: (version: number | null, reason: string) => void;
  /** What came last, when it was refused; null once something was applied. */
  refused: () => RefusedSnapshot | null;
  /** The control plane says that what is served is still what it publishes. */
  confirm: () => void;
  /** Seconds since the last apply or confirmation; 0 before the first. */
  ageSeconds: () => number;
  /** What the snapshots that were served say of the log; the newest first. */
  seen: () => readonly LogObservation[];
  /** What was seen before this process began. */
  remember: (seen: readonly LogObservation[]) => void;
  /** Told of each snapshot at once, and of the current one when there is one. */
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
  return {
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
      for (const reason of compiled.dropped) log.warn({ version: snapshot.version }, reason);
      current = compiled;
      seen = withObservation(seen, snapshot);
      confirm();
      for (const listener of listeners) listener(compiled);
      const { models, callers } = compiled;
      const fields = { version: snapshot.version, models: models.size, keys: callers.size };
      log.info(fields, 'snapshot applied');
      return undefined;
    },
  };
}
