// Composes `gw operator` from its settings.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

import { plainly, ruleText } from '../lib/plain-issue.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { readNamespace } from '../kubernetes/in-cluster.ts';
import { newOperatorCounts } from '../operator/counts.ts';
import { createElection } from '../operator/election.ts';
import { operatorTimes, startOperator } from '../operator/operator.ts';
import type { KnownSettings } from '../operator/given-settings.ts';
import { openOperatorPages } from '../operator/pages.ts';
import type { Running } from './lifetime.ts';
import { namingListener } from './listening.ts';
import { logToStderr } from './printing/log-to-stderr.ts';
import type { OperatorSettingsTable } from './settings/operator-settings.ts';
import type { Setting } from './settings/setting.ts';
import type { SettingsOf } from './settings/settings.ts';
import { settingsTable } from './settings/settings-table.ts';
import { programVersion } from './version.ts';

export type OperatorSettings = SettingsOf<OperatorSettingsTable>;

const leaseSeconds = 15;

/** Closing releases the Lease. */
export async function runOperator(
  settings: OperatorSettings,
  place: ClusterPlace,
): Promise<Running> {
  await using started = new AsyncDisposableStack();
  const log = logToStderr(settings).of('operator');
  const { host, port } = settings;
  const namespace = settings.namespace ?? (await readNamespace(place));
  const counts = newOperatorCounts();
  const pages = await namingListener(
    { flag: '--port', port, host },
    openOperatorPages({
      host,
      port,
      version: programVersion(),
      counts,
      monotonic,
      silenceMs: operatorTimes.deadlineMs,
    }),
  );
  started.defer(pages.close);
  // A new id per start, so that a restarted pod is not taken for the previous holder of the Lease.
  const self = `${hostname()}_${randomUUID()}`;
  const { failed, close } = startOperator({
    place,
    namespace,
    election: createElection({
      place,
      holder: { name: settings.lease, namespace, self, seconds: leaseSeconds },
      monotonic,
      nowMs: Date.now,
    }),
    nowMs: Date.now,
    log,
    times: operatorTimes,
    counts,
    settings: knownSettings,
  });
  started.defer(close);
  log.info({ namespace, lease: settings.lease, self, url: pages.url }, 'operator started');
  const parts = started.move();
  return { failed, close: () => parts.disposeAsync() };
}

/** By variable. */
export const knownSettings: KnownSettings = new Map(
  Object.values<Setting>(settingsTable).map(({ variable, secret, schema }) => [
    variable,
    {
      isSecret: secret,
      problemOf: (value) => {
        const { error } = schema.safeParse(value, plainly);
        return error === undefined ? null : ruleText(error);
      },
    },
  ]),
);

const monotonic = (): number => performance.now();
