// What role control does now and then: what is due in the snapshot, in usage, in the vault, in the state checkpoints and of change
// requests.

import { randomUUID } from 'node:crypto';

import { keepServed } from '../../control/fleet/fleet-served.ts';
import { keepChangeRequests } from '../../control/change-requests/due.ts';
import { keepCheckpoints } from '../../control/history/checkpoints.ts';
import { repeatEvery } from '../../control/repeat.ts';
import type { Job } from '../../control/repeat.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Admin } from '../../admin/open.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Log } from '../../telemetry/log.ts';
import { eraseSuperseded } from '../../control/vault/vault-upkeep.ts';
import type { SettingValues } from '../settings/settings-table.ts';

/** How often usage and the vault are looked through for what is past its retention. */
const upkeepMs = 10 * 60 * 1000;
/** How often change requests are looked through for those that are due, or too old. */
const requestsMs = 5_000;
/** How often state checkpoints are written that are due. */
const checkpointsMs = 60 * 1000;

/** How often the alarms of the log are read that the metric counts. */
const alarmsMs = 30 * 1000;

type Surroundings = Readonly<{
  plane: ControlPlane;
  admin: Admin;
  settings: Pick<SettingValues, 'snapshotRebuildInterval' | 'secretRetention'>;
  seenBefore: readonly LogObservation[];
  log: Log;
}>;

/** `stop` waits for what is under way. */
export function startUpkeep(surroundings: Surroundings) {
  const { plane, admin, settings, log } = surroundings;
  const jobs: readonly Job[] = [
    {
      what: 'rebuilding the snapshot',
      intervalMs: settings.snapshotRebuildInterval * 1000,
      work: plane.rebuild,
    },
    { what: 'keeping usage', intervalMs: upkeepMs, work: admin.needs.operations.usageUpkeep.run },
    {
      what: 'keeping the vault',
      intervalMs: upkeepMs,
      work: () =>
        eraseSuperseded({ plane, clock: Date.now, retentionDays: settings.secretRetention }),
    },
    {
      what: 'keeping state checkpoints',
      intervalMs: checkpointsMs,
      work: () => keepCheckpoints(plane.reports, plane.store.state().position),
    },
    {
      what: 'forgetting what replicas served',
      intervalMs: upkeepMs,
      work: () => keepServed(plane.reports, Date.now),
    },
    // Those that other replicas raised, or a process before this one.
    { what: 'reading the alarms', intervalMs: alarmsMs, work: admin.needs.operations.alarms.list },
    {
      what: 'keeping change requests',
      intervalMs: requestsMs,
      work: () =>
        keepChangeRequests({
          plane,
          clock: Date.now,
          newId: randomUUID,
          log: log.of('control'),
        }),
    },
    ...admin.jobs({ log: log.of('control'), seenBefore: surroundings.seenBefore }),
  ];
  const running = jobs.map(({ what, intervalMs, work }) => {
    const onFailure = (error: unknown): void =>
      log.of('control').warn({ error }, `failed: ${what}`);
    return repeatEvery({ intervalMs, work, onFailure });
  });
  return {
    stop: async (): Promise<void> => {
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}
