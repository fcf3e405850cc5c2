// Composes role proxy: a gateway that follows a control plane (Http mode) or a file (File mode) (specification, "What the service does"
// 3 and 4).

import { hash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

import { createGuard } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import { allotmentMetrics } from '../../gateway/control-link/allotment-metrics.ts';
import { createSnapshotCache } from '../../gateway/control-link/cache.ts';
import type { SnapshotCache } from '../../gateway/control-link/cache.ts';
import { createControlClient } from '../../gateway/control-link/client.ts';
import { startHealthReports, withNumbers } from '../../gateway/control-link/health-report.ts';
import { startPoll } from '../../gateway/control-link/poll.ts';
import { startReconcile } from '../../gateway/control-link/reconcile.ts';
import { createUsageReporter } from '../../gateway/control-link/report.ts';
import { openFileBudgets } from '../../gateway/usage/file-budgets.ts';
import { startFileSource } from '../../gateway/config/file-source.ts';
import { startGateway } from '../../gateway/gateway.ts';
import type { Gateway, GatewayOptions } from '../../gateway/gateway.ts';
import { createLive } from '../../gateway/config/live.ts';
import { AllottedBudgets } from '../../limits/allotted-budgets.ts';
import { Limiter } from '../../limits/limiter.ts';
import { Spending } from '../../limits/spending.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { PoolPolicy } from '../../lib/vocabulary.ts';
import type { Environment } from '../../snapshot/file/source.ts';
import type { Log } from '../../telemetry/log.ts';
import { createUlids } from '../../usage/ulid.ts';
import { newCounts } from '../../telemetry/metrics.ts';
import { openEncoders } from '../encoders.ts';
import type { ClassifierSettings } from '../encoders.ts';
import { onHangUp } from '../hang-up.ts';
import type { OnHangUp } from '../hang-up.ts';
import { logToStderr } from '../printing/log-to-stderr.ts';
import { readCaBundle } from '../pem-files.ts';
import { serveOn } from '../shutdown-delay.ts';
import { openTracing } from '../tracing.ts';
import type { TracingSettings } from '../tracing.ts';
import { openSpool } from '../usage-spool.ts';
import { programVersion } from '../version.ts';
import type { WorkerSide } from '../workers/worker.ts';

/** For a gateway in any role. */
export type GatewaySettings = Readonly<{
  host: string;
  port: number;
  healthInterval: number;
  healthTimeout: number;
  upstreamTimeout: number;
  attemptsMax: number;
  connectionsPerAddress: number;
  maxRetries: number | null;
  policy: PoolPolicy;
  maxBodyMb: number;
  maxInflightBodyMb: number;
  cacheMaxEntries: number;
  cacheMaxBytes: number;
  engineScrapeInterval: number;
  poolMaxIdle: number;
  shutdownDelay: number | null;
  shutdownGrace: number;
  caBundle: string | null;
  egressAllow: readonly string[];
  egressDeny: readonly string[];
}>;

export type ProxySettings = GatewaySettings &
  TracingSettings &
  ClassifierSettings &
  Readonly<{
    config: string | null;
    controlUrl: string | null;
    proxyToken: string | null;
    snapshotCache: string | null;
    acceptLog: string | null;
    configPoll: number;
    rateLimitReconcileInterval: number;
    rateLimitOnOutage: number;
    budgetOnOutage: number;
    usageSpool: string | null;
    usageSpoolMaxMb: number;
    budgetState: string;
    healthReportInterval: number;
    masterKey: string | null;
    open: boolean;
    skipUnsupported: boolean;
    log: string;
    logFormat: 'text' | 'json';
  }>;

export type ProxyDependencies = Readonly<{
  log?: Log;
  environment?: Environment;
  onHangUp?: OnHangUp;
  /** Set if this process shares its port with other workers. */
  worker?: WorkerSide | null;
}>;

export type RunningProxy = Readonly<{ url: string; close: () => Promise<void> }>;

const mebibyte = 1024 * 1024;

const monotonic = (): number => performance.now();

const guardOf = (settings: Pick<GatewaySettings, 'egressAllow' | 'egressDeny'>): Guard =>
  createGuard({ allow: settings.egressAllow, deny: settings.egressDeny });

/** The options that settings decide. */
export const gatewayOptions = (settings: GatewaySettings) =>
  ({
    host: settings.host,
    port: settings.port,
    version: programVersion(),
    upstream: {
      idleConnectionsMax: settings.poolMaxIdle,
      caBundle: readCaBundle(settings),
      guard: guardOf(settings),
    },
    probes: {
      intervalMs: settings.healthInterval * 1000,
      timeoutMs: settings.healthTimeout * 1000,
    },
    ...(settings.engineScrapeInterval === 0
      ? {}
      : { engineMetrics: { intervalMs: settings.engineScrapeInterval * 1000 } }),
    limits: { connectionsPerAddress: settings.connectionsPerAddress },
    firstByteMs: settings.upstreamTimeout * 1000,
    attemptsMax: settings.attemptsMax,
    retriesMax: settings.maxRetries ?? Infinity,
    policy: settings.policy,
    bodyBytesMax: settings.maxBodyMb * mebibyte,
    bodiesInFlightBytesMax: settings.maxInflightBodyMb * mebibyte,
    cache: { entriesMax: settings.cacheMaxEntries, bytesMax: settings.cacheMaxBytes },
  }) satisfies Partial<GatewayOptions>;

/** Unique per process, and readable. */
export const replicaName = (): string => `${hostname()}-${randomBytes(4).toString('hex')}`;

/** The ULID of this start of the process, within which usage rows are numbered. */
export const newRun = (): string => createUlids({ now: Date.now, randomBytes })();

export async function runProxy(
  settings: ProxySettings,
  dependencies: ProxyDependencies = {},
): Promise<RunningProxy> {
  const own = dependencies.log ?? logToStderr(settings);
  const log = dependencies.worker?.log(own) ?? own;
  const { config, controlUrl, proxyToken } = settings;
  if (controlUrl !== null && proxyToken !== null) {
    return runHttpMode(settings, { ...dependencies, controlUrl, proxyToken, log });
  }
  if (config === null) throw new Error('role proxy needs control-url and proxy-token, or config');
  return runFileMode(settings, { ...dependencies, path: config, log });
}

async function runHttpMode(
  settings: ProxySettings,
  {
    controlUrl,
    proxyToken,
    log,
    ...dependencies
  }: Readonly<{ controlUrl: string; proxyToken: string; log: Log }> & ProxyDependencies,
): Promise<RunningProxy> {
  await using started = new AsyncDisposableStack();
  const client = createControlClient({ controlUrl, proxyToken, caBundle: readCaBundle(settings) });
  started.defer(client.close);
  const encoders = await openEncoders(settings);
  started.defer(encoders.close);
  const linkLog = log.of('control_link');
  const live = createLive({ log: linkLog, monotonic });
  const counts = newCounts();
  const replica = replicaName();
  const { sources, ...spooling } = await openSpool(settings, { replica, log: linkLog });
  const spending = new Spending();
  const link = { client, replica, run: newRun(), counts, log: linkLog, spending };
  const { limiter, budgets } = newLimits(settings, spending);
  const reconciling = startReconcile({
    ...link,
    limiter,
    budgets,
    intervalMs: settings.rateLimitReconcileInterval * 1000,
    monotonic,
  });
  started.defer(reconciling.stop);
  // Closed before the last report, which gives back what is not spent.
  const reporter = createUsageReporter({ ...link, ...spooling });
  started.defer(reporter.close);
  // Before listening, so that the first accepted request can be served.
  const poll = await startPoll({
    ...link,
    live,
    cache: openCache(settings, proxyToken, dependencies),
    acceptLog: settings.acceptLog,
    pollMs: settings.configPoll * 1000,
    random: Math.random,
    monotonic,
  });
  started.defer(poll.stop);
  await reconciling.first;
  const gateway = await startGateway({
    ...gatewayOptions(settings),
    live,
    log,
    counts,
    limiter,
    encoders,
    spending,
    budgets,
    usage: reporter.record,
    sources: [...sources, allotmentMetrics({ limiter, budgets, monotonic })],
    ...sharing(dependencies),
    tracer: await openTracing(settings, log),
  });
  started.defer(() => endGateway(gateway, settings, log));
  const reporting = startHealthReports({
    client,
    log: linkLog,
    intervalMs: settings.healthReportInterval * 1000,
    read: () => withNumbers(gateway.healthReport(replica), reporter.undelivered()),
  });
  started.defer(reporting.stop);
  log.info({ url: gateway.url, control: controlUrl }, 'gateway started');
  dependencies.worker?.serving(gateway.url);
  const parts = started.move();
  return { url: gateway.url, close: () => parts.disposeAsync() };
}

const newLimits = (settings: ProxySettings, spending: Spending) => ({
  limiter: new Limiter({ outageShare: settings.rateLimitOnOutage / 100 }),
  budgets: new AllottedBudgets({ spending, outageShare: settings.budgetOnOutage / 100 }),
});

/** All workers start from one file, which the first worker writes. */
function openCache(
  { snapshotCache: path }: ProxySettings,
  proxyToken: string,
  { worker }: ProxyDependencies,
): SnapshotCache | null {
  if (path === null) return null;
  const cache = createSnapshotCache({ path, secret: proxyToken });
  return (worker?.slot ?? 0) === 0
    ? cache
    : { ...cache, write: async () => {}, append: async () => true };
}

async function runFileMode(
  settings: ProxySettings,
  options: Readonly<{ path: string; log: Log }> & ProxyDependencies,
): Promise<RunningProxy> {
  const { path, log } = options;
  await using started = new AsyncDisposableStack();
  const encoders = await openEncoders(settings);
  started.defer(encoders.close);
  const linkLog = log.of('control_link');
  const live = createLive({ log: linkLog, monotonic });
  const spending = new Spending();
  const budgets = await openFileBudgets({
    directory: settings.budgetState,
    name: hash('sha256', resolve(path)).slice(0, 16),
    slot: options.worker?.slot ?? 0,
    spending,
    log: linkLog,
    clock: Date.now,
  });
  started.defer(budgets.close);
  const source = await startFileSource({
    path,
    environment: options.environment ?? process.env,
    access: settings,
    live,
    log: linkLog,
    encoders,
    checkMs: settings.configPoll * 1000,
    complete: budgets.withSpent,
  });
  if (isRefusal(source)) throw new Error(source.message);
  started.defer(source.stop);
  started.defer((options.onHangUp ?? onHangUp)(() => void source.reload()));
  const gateway = await startGateway({
    ...gatewayOptions(settings),
    live,
    log,
    encoders,
    spending,
    usage: budgets.record,
    ...sharing(options),
    tracer: await openTracing(settings, log),
  });
  started.defer(() => endGateway(gateway, settings, log));
  log.info({ url: gateway.url, config: path }, 'gateway started');
  options.worker?.serving(gateway.url);
  const parts = started.move();
  return { url: gateway.url, close: () => parts.disposeAsync() };
}

const sharing = ({ worker }: ProxyDependencies): Pick<GatewayOptions, 'shareMetrics'> =>
  worker === null || worker === undefined ? {} : { shareMetrics: worker.shareMetrics };

/** Leaves the rotation, then drains ("Limits", Shutdown). */
export async function endGateway(
  gateway: Gateway,
  settings: GatewaySettings,
  log: Log,
): Promise<void> {
  gateway.leave();
  await serveOn(settings, log);
  await gateway.close(settings.shutdownGrace * 1000);
}
