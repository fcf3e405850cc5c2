// Runs the periodic maintenance of role control: snapshots, usage, vault and state checkpoints.

import { randomUUID } from 'node:crypto';

import { keepServed } from '../../control/fleet/fleet-served.ts';
import { keepCheckpoints } from '../../control/history/checkpoints.ts';
import { endBudgetIncreases } from '../../control/usage/budget-increases.ts';
import { repeatEvery } from '../../control/repeat.ts';
import type { Job } from '../../control/repeat.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Admin } from '../../admin/open.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Log } from '../../telemetry/log.ts';
import { createSpendWatch } from '../../control/usage/spend-watch.ts';
import { announceDrops } from '../../control/usage/usage-numbers.ts';
import { eraseSuperseded } from '../../control/vault/vault-upkeep.ts';
import type { SettingValues } from '../settings/settings-table.ts';

/** For deleting expired usage and vault items. */
const upkeepMs = 10 * 60 * 1000;
/** Interval of merging sums of usage. */
const sumsMs = 20 * 1000;
/** Interval of counting dropped usage rows in the log. */
const dropsMs = 15 * 1000;
/** For writing state checkpoints. */
const checkpointsMs = 60 * 1000;
/** Interval of the check for ended increases of budgets. */
const increasesMs = 5_000;

/** For looking for unusual spending. Several control planes take turns. */
const spendWatchMs = 60_000;

/** For finding due deliveries of webhooks; new notifications do not wait for it. */
const webhooksMs = 1_000;
/** For reading the queues of webhooks, which metrics show. */
const webhookQueuesMs = 15_000;

/** For deleting allotments of past minutes. */
const allotmentsMs = 30 * 1000;

/** For counting the fleet, which a metric shows. */
const fleetMs = 15 * 1000;

/** For reading the alarms of the log, which a metric shows. */
const alarmsMs = 30 * 1000;

type Surroundings = Readonly<{
  plane: ControlPlane;
  admin: Admin;
  settings: Pick<
    SettingValues,
    'snapshotRebuildInterval' | 'secretRetention' | 'spendAnomalyFactor' | 'spendAnomalyFloor'
  >;
  seenBefore: readonly LogObservation[];
  log: Log;
}>;

/** `stop` waits for running work. */
export function startUpkeep(surroundings: Surroundings) {
  const { plane, admin, settings, log } = surroundings;
  const spendWatch = createSpendWatch({
    plane,
    notifyIn: admin.needs.operations.notifier.notifyIn,
    clock: Date.now,
    factor: settings.spendAnomalyFactor,
    floor: settings.spendAnomalyFloor,
  });
  const jobs: readonly Job[] = [
    {
      what: 'rebuilding the snapshot',
      intervalMs: settings.snapshotRebuildInterval * 1000,
      work: plane.rebuild,
    },
    ...usageJobs(admin),
    {
      what: 'counting dropped usage rows',
      intervalMs: dropsMs,
      work: () => announceDrops({ plane, clock: Date.now }),
    },
    {
      what: 'deleting expired vault items',
      intervalMs: upkeepMs,
      work: () =>
        eraseSuperseded({ plane, clock: Date.now, retentionDays: settings.secretRetention }),
    },
    {
      what: 'writing state checkpoints',
      intervalMs: checkpointsMs,
      work: () => keepCheckpoints(plane.reports, plane.store.state()),
    },
    {
      what: 'deleting the history of served versions',
      intervalMs: upkeepMs,
      work: () => keepServed(plane.reports, Date.now),
    },
    {
      what: 'ending increases of budgets',
      intervalMs: increasesMs,
      work: () => endBudgetIncreases({ plane, clock: Date.now, newId: randomUUID }),
    },
    { what: 'looking for unusual spending', intervalMs: spendWatchMs, work: spendWatch },
    ...replicaJobs(admin),
    // Alarms that other replicas or an earlier process raised.
    { what: 'reading the alarms', intervalMs: alarmsMs, work: admin.needs.operations.alarms.list },
    ...webhookJobs(admin),
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

const usageJobs = ({ needs }: Admin): readonly Job[] => [
  {
    what: 'deleting expired usage',
    intervalMs: upkeepMs,
    work: needs.operations.usageUpkeep.run,
  },
  {
    what: 'merging sums of usage',
    intervalMs: sumsMs,
    work: needs.operations.sumUsage,
  },
  {
    what: 'indexing usage rows',
    intervalMs: sumsMs,
    work: needs.operations.indexUsage,
  },
];

const replicaJobs = ({ needs }: Admin): readonly Job[] => [
  {
    what: 'deleting past allotments of rate limits',
    intervalMs: allotmentsMs,
    work: needs.machines.reconcile.prune,
  },
  { what: 'counting the fleet', intervalMs: fleetMs, work: needs.operations.fleet.measure },
];

const webhookJobs = ({ webhooks }: Admin): readonly Job[] => [
  { what: 'delivering to webhooks', intervalMs: webhooksMs, work: webhooks.run },
  {
    what: 'reading the queues of webhooks',
    intervalMs: webhookQueuesMs,
    work: webhooks.measure,
  },
  {
    what: 'deleting old deliveries of webhooks',
    intervalMs: upkeepMs,
    work: webhooks.purge,
  },
];
