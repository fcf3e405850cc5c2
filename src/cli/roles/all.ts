// Composes role all: control plane and gateway in one process that share the snapshot ("What the service does" rule 3). Usage and health
// reports go to its own admin API over loopback, like those of any proxy.

import { randomBytes } from 'node:crypto';

import { createSnapshotCache } from '../../gateway/control-link/cache.ts';
import { createControlClient } from '../../gateway/control-link/client.ts';
import type { ControlClient } from '../../gateway/control-link/client.ts';
import { startHealthReports, withNumbers } from '../../gateway/control-link/health-report.ts';
import { createUsageReporter } from '../../gateway/control-link/report.ts';
import type { Published } from '../../control/publishing/published.ts';
import { startGateway } from '../../gateway/gateway.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { createLive } from '../../gateway/config/live.ts';
import { Spending } from '../../limits/spending.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Log } from '../../telemetry/log.ts';
import { newCounts } from '../../telemetry/metrics.ts';
import { openEncoders } from '../encoders.ts';
import type { Running } from '../lifetime.ts';
import { namingListener } from '../listening.ts';
import { logToStderr } from '../printing/log-to-stderr.ts';
import { readCaBundle } from '../pem-files.ts';
import { settingFacts } from '../settings/setting-facts.ts';
import type { Settings } from '../settings/settings.ts';
import { openTracing } from '../tracing.ts';
import { openSpool } from '../usage-spool.ts';
import { startControl } from './control.ts';
import type { RunningControl, Surroundings } from './control.ts';
import { endGateway, gatewayOptions, newRun, replicaName } from './proxy.ts';
import { createOwnFollower } from './own-follower.ts';
import { openWitness } from './witness.ts';

export type RunningAll = Running &
  Pick<RunningControl, 'adminUrl' | 'ready'> &
  Readonly<{ gatewayUrl: string }>;

export type AllExtras = Pick<Surroundings, 'signInLink'>;

export async function runAll(settings: Settings, extras: AllExtras): Promise<RunningAll> {
  await using started = new AsyncDisposableStack();
  const log = logToStderr(settings);
  const linkLog = log.of('control_link');
  const replica = replicaName();
  const encoders = await openEncoders(settings);
  started.defer(encoders.close);
  const { sources, ...spooling } = await openSpool(settings, { replica, log: linkLog });
  // A configured token lets other proxies follow this process. Its own reports always need one.
  const proxyToken = settings.proxyToken ?? randomBytes(32).toString('hex');
  const { live, seenBefore, serve, close: closeWitness } = await openServing(settings, log);
  started.defer(closeWitness);
  const own: Own = { gateway: null };
  let isLeaving = false;
  const control = await startControl(
    { ...settings, proxyToken },
    {
      ...extras,
      log,
      encoders,
      program: programOf(settings, { own, isLeaving: () => isLeaving }),
      onCurrent: live.confirm,
      seenBefore,
      onSnapshot: serve,
    },
  );
  started.defer(control.close);
  const client = loopBack(control, proxyToken);
  started.defer(client.close);
  const counts = newCounts();
  const spending = new Spending();
  const link = { client, replica, run: newRun(), counts, log: linkLog, spending };
  const reporter = createUsageReporter({ ...link, ...spooling });
  // The admin API must still accept the last reports.
  started.defer(reporter.close);
  const tracer = await openTracing(settings, log);
  const { host, port } = settings;
  const gateway = await namingListener(
    { flag: '--port', port, host },
    startGateway({
      ...gatewayOptions(settings),
      live,
      log,
      counts,
      tracer,
      encoders,
      spending,
      usage: reporter.record,
      sources,
    }),
  );
  own.gateway = gateway;
  const reporting = startWhenReady(control.ready, () =>
    startHealthReports({
      client,
      read: () => withNumbers(gateway.healthReport(replica), reporter.undelivered()),
      log: linkLog,
      intervalMs: settings.healthReportInterval * 1000,
    }),
  );
  started.defer(reporting.stop);
  started.defer(() => {
    isLeaving = true;
    return endGateway(gateway, settings, log);
  });
  log.info({ url: gateway.url }, 'gateway started');
  const parts = started.move();
  const { adminUrl, ready, failed } = control;
  const close = (): Promise<void> => parts.disposeAsync();
  return { gatewayUrl: gateway.url, adminUrl, ready, failed, close };
}

type Reporting = Readonly<{ stop: () => Promise<void> }>;

/** Starts when the control plane accepts reports, unless it was stopped before. */
function startWhenReady(ready: Promise<void>, start: () => Reporting): Reporting {
  let isStopped = false;
  let reporting: Reporting | null = null;
  const begin = (): void => {
    if (!isStopped) reporting = start();
  };
  void ready.then(begin, () => {});
  return {
    stop: async () => {
      isStopped = true;
      await reporting?.stop();
    },
  };
}

type Own = { gateway: Gateway | null };
type Process = Readonly<{ own: Own; isLeaving: () => boolean }>;

const programOf = (settings: Settings, { own, isLeaving }: Process) =>
  ({
    role: 'all',
    settings: settingFacts(settings),
    backends: () => own.gateway?.backends() ?? [],
    isLeaving,
    gateway: {
      url: () => settings.gatewayUrl ?? own.gateway?.url ?? null,
      ca: readCaBundle(settings),
    },
  }) as const;

const loopBack = ({ adminUrl, certificate }: RunningControl, proxyToken: string): ControlClient =>
  createControlClient({
    controlUrl: adminUrl,
    proxyToken,
    caBundle: [],
    pinnedCertificate: certificate,
  });

/** The served configuration, and the stored observations of the log. */
async function openServing(settings: Settings, log: Log) {
  const linkLog = log.of('control_link');
  const live = createLive({ log: linkLog, monotonic: () => performance.now() });
  const follow = createOwnFollower(live);
  const cache = openCache(settings);
  const witness = cache === null ? null : await openWitness({ cache, live, log: linkLog });
  return {
    live,
    seenBefore: live.seen(),
    serve: (published: Published): void => {
      const refusal = follow(published);
      if (!isRefusal(refusal)) {
        witness?.keep(published);
        return;
      }
      live.refuse(published.version, refusal.message);
      log.error({ reason: refusal.message }, 'snapshot refused');
    },
    close: async (): Promise<void> => witness?.close(),
  };
}

/** Sealed with the proxy token, like that of a proxy, or else with the encryption key. */
function openCache({ snapshotCache: path, proxyToken, encryptionKey }: Settings) {
  const secret = proxyToken ?? encryptionKey;
  return path === null || secret === null ? null : createSnapshotCache({ path, secret });
}
