// Composes role control: database, admin API, snapshots for proxies ("What the service does" rule 3). Role all builds on it.

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { openAdmin } from '../../admin/open.ts';
import { helpFolder } from '../../admin/help.ts';
import { readUi } from '../../admin/ui.ts';
import type { Program } from '../../admin/operations/program.ts';
import { listenWaiting } from '../../admin/http/waiting.ts';
import type { Waiting } from '../../admin/http/waiting.ts';
import { createEgress } from '../../egress/egress.ts';
import type { Egress } from '../../egress/egress.ts';
import { createNotifier } from '../../control/webhooks/notify.ts';
import type { Notifier } from '../../control/webhooks/notify.ts';
import { createSingleUrl, noSingleUrl } from '../../control/webhooks/single-url.ts';
import type { SignInLink } from '../../control/access/sign-in-link.ts';
import { createRebuildNotices } from '../../control/notify-rebuild.ts';
import { databaseUnavailable } from '../../control/commands/unavailable.ts';
import { openControlPlane } from '../../control/plane.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Published } from '../../control/publishing/published.ts';
import { databaseFailure, isDatabaseUnavailable } from '../../db/failure.ts';
import type { Encoders } from '../../classifier/encoder.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { LogObservation } from '../../snapshot/health-report.ts';
import type { Log } from '../../telemetry/log.ts';
import { openEncoders } from '../encoders.ts';
import { encryptionKeys } from '../encryption-keys.ts';
import { causes } from '../printing/failure.ts';
import type { Running } from '../lifetime.ts';
import { namingListener } from '../listening.ts';
import { logToStderr } from '../printing/log-to-stderr.ts';
import { managedPlace } from '../managed-place.ts';
import { readCaBundle, readTls } from '../pem-files.ts';
import type { Tls } from '../pem-files.ts';
import { settingFacts } from '../settings/setting-facts.ts';
import type { Settings } from '../settings/settings.ts';
import type { SettingValues } from '../settings/settings-table.ts';
import { serveOn } from '../shutdown-delay.ts';
import { programVersion } from '../version.ts';
import { replicaName } from './proxy.ts';
import { startSweeping } from './sweeping.ts';
import { startUpkeep } from './upkeep.ts';

export type ControlSettings = Pick<
  SettingValues,
  | 'host'
  | 'adminPort'
  | 'connectionsPerAddress'
  | 'databaseUrl'
  | 'databaseReadUrl'
  | 'databaseMaxConnections'
  | 'encryptionKey'
  | 'encryptionKeyPrevious'
  | 'proxyToken'
  | 'tlsCert'
  | 'tlsKey'
  | 'caBundle'
  | 'egressAllow'
  | 'egressDeny'
  | 'webhookUrl'
  | 'webhookSecret'
  | 'priceAggregatorUrl'
  | 'priceCatalogueUrl'
  | 'shutdownGrace'
  | 'snapshotRebuildInterval'
  | 'spendAnomalyFactor'
  | 'spendAnomalyFloor'
  | 'usageRetention'
  | 'strictKeyMint'
  | 'secretRetention'
  | 'providerSweepInterval'
  | 'dynamicProvidersMax'
  | 'providerRegistration'
  | 'operatorResource'
  | 'serviceAccountDirectory'
>;

export type RunningControl = Running &
  Readonly<{
    adminUrl: string;
    /** Resolves once the control plane serves. Rejects if it never can. */
    ready: Promise<void>;
    /** Rejects like `ready`. */
    failed: Promise<never>;
    /** PEM, of the admin listener. Null for plain HTTP. */
    certificate: string | null;
  }>;

export async function runControl(settings: Settings): Promise<RunningControl> {
  const log = logToStderr(settings);
  const encoders = await openEncoders(settings);
  let isLeaving = false;
  const program = {
    role: 'control',
    settings: settingFacts(settings),
    backends: () => [],
    isLeaving: () => isLeaving,
    gateway: { url: () => settings.gatewayUrl, ca: readCaBundle(settings) },
  } as const;
  const control = await startControl(settings, {
    log,
    encoders,
    program,
    seenBefore: [],
    onSnapshot: () => {},
    onCurrent: () => {},
  });
  return {
    ...control,
    close: async () => {
      isLeaving = true;
      await serveOn(settings, log);
      await control.close();
      await encoders.close();
    },
  };
}

export type Surroundings = Readonly<{
  log: Log;
  /** Only set by `gw dev`. */
  signInLink?: SignInLink;
  encoders: Encoders;
  program: Omit<Program, 'version' | 'uptimeSeconds'>;
  /** Log positions that this process's gateway had seen before the restart. */
  seenBefore: readonly LogObservation[];
  /** Includes the first snapshot. */
  onSnapshot: (published: Published) => void;
  /** Called when the log was read to its head, so the last published snapshot is current. */
  onCurrent: () => void;
}>;

/** Listens at once. Until the control plane is open, everything except /healthz answers 503. */
export async function startControl(
  settings: ControlSettings,
  surroundings: Surroundings,
): Promise<RunningControl> {
  const { host, adminPort } = settings;
  const tls = readTls(settings);
  const egress = openEgress(settings);
  const notifier = openNotifier(settings, egress, surroundings.log);
  const parts = { ...surroundings, egress, notifier, replica: replicaName() };
  let unready = starting('this process connects to the database');
  const waiting = await namingListener(
    { flag: '--admin-port', port: adminPort, host },
    listenWaiting({ host, port: adminPort, tls, unready: () => unready }),
  );
  const stop = new AbortController();
  const openAndServe = async (): Promise<Serving | null> => {
    try {
      const onUnready = (refusal: Refusal): void => void (unready = refusal);
      const opening = { ...parts, adminUrl: waiting.url, onUnready };
      const plane = await openPlane(settings, opening, stop.signal);
      return plane === null ? null : await serveAdmin(plane, { settings, parts, tls, waiting });
    } finally {
      await waiting.close();
    }
  };
  const serving = openAndServe();
  const ready = serving.then((served) => (served === null ? never() : undefined));
  const failed = ready.then(never);
  // The caller that awaits the end of the process gets the error. Until then, it must not be an unhandled rejection.
  failed.catch(() => {});
  return {
    adminUrl: waiting.url,
    certificate: tls?.cert ?? null,
    ready,
    failed,
    close: async () => {
      stop.abort();
      const graceMs = settings.shutdownGrace * 1000;
      const opened = serving.catch(() => null);
      // A migration that takes longer is rolled back when the process ends.
      const served = await Promise.race([opened, wait(graceMs, null, { ref: false })]);
      await served?.close();
    },
  };
}

const starting = (doing: string): Refusal =>
  refuse('unavailable', `starting: ${doing}`, { retryAfterSeconds: 2 });

/** Throws if the certificate cannot be read. */
function openEgress({ egressAllow: allow, egressDeny: deny, caBundle }: ControlSettings): Egress {
  const ca = readCaBundle({ caBundle });
  return createEgress({ allow, deny }, ca.length === 0 ? {} : { ca });
}

function openNotifier(
  { webhookUrl: url, webhookSecret: secret }: ControlSettings,
  { dispatcher }: Egress,
  log: Log,
): Notifier {
  const singleUrl =
    url === null
      ? noSingleUrl
      : createSingleUrl({ url, secret, dispatcher, log: log.of('control') });
  return createNotifier({ singleUrl, clock: Date.now, newId: randomUUID });
}

const never = (): Promise<never> => new Promise(() => {});

const retryMinMs = 250;
const retryMaxMs = 5000;

type Opening = PlaneSurroundings &
  Readonly<{ adminUrl: string; onUnready: (refusal: Refusal) => void }>;

/** Tries until the database is available. Null if `signal` aborts. */
async function openPlane(
  settings: ControlSettings,
  { adminUrl, onUnready, ...parts }: Opening,
  signal: AbortSignal,
): Promise<ControlPlane | null> {
  const { log } = parts;
  const onProgress = (doing: string): void => {
    log.info({ admin: adminUrl, doing }, 'starting');
    onUnready(starting(doing));
  };
  let waitMs = retryMinMs;
  for (;;) {
    const opened = await tryOpen(settings, { ...parts, onProgress });
    if ('plane' in opened) {
      if (!signal.aborted) return opened.plane;
      await opened.plane.close();
      return null;
    }
    const consequence = 'this process has not connected to the database yet';
    onUnready(databaseUnavailable(databaseFailure(opened.away), consequence));
    if (waitMs === retryMinMs) {
      const reason = causes(opened.away).join('; ');
      log.warn({ admin: adminUrl, reason }, 'the database is unavailable; retrying');
    }
    await wait(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return null;
    waitMs = Math.min(waitMs * 2, retryMaxMs);
  }
}

type PlaneSurroundings = Surroundings &
  Readonly<{ egress: Egress; notifier: Notifier; replica: string }>;
type Opened = Readonly<{ plane: ControlPlane }> | Readonly<{ away: unknown }>;

/** Throws any database failure except unavailability. */
async function tryOpen(
  settings: ControlSettings,
  parts: PlaneSurroundings & Readonly<{ onProgress: (doing: string) => void }>,
): Promise<Opened> {
  const { log, onCurrent, egress, encoders, notifier, replica, onProgress } = parts;
  const { databaseUrl, databaseReadUrl, databaseMaxConnections } = settings;
  const { encryptionKey, encryptionKeyPrevious } = settings;
  if (databaseUrl === null || encryptionKey === null) {
    throw new Error('role control needs a database address and an encryption key');
  }
  try {
    const plane = await openControlPlane({
      databaseUrl,
      databaseReadUrl,
      ...encryptionKeys({ encryptionKey, encryptionKeyPrevious }),
      connectionsMax: databaseMaxConnections,
      appVersion: programVersion(),
      clock: Date.now,
      egress,
      encoders,
      onCurrent,
      onProgress,
      onFailure: (what, error) => log.of('control').warn({ error }, `failed: ${what}`),
      onUnpublished: createRebuildNotices({ notify: notifier.notify, replica }),
    });
    return { plane };
  } catch (error) {
    if (isDatabaseUnavailable(error)) return { away: error };
    throw error;
  }
}

type Serving = Readonly<{ close: () => Promise<void> }>;

type Served = Readonly<{
  settings: ControlSettings;
  parts: PlaneSurroundings;
  tls: Tls | null;
  waiting: Waiting;
}>;

/** Takes over the port of `waiting`. */
async function serveAdmin(
  plane: ControlPlane,
  { settings, parts, tls, waiting }: Served,
): Promise<Serving> {
  const { log, onSnapshot, egress, notifier, replica } = parts;
  const { host, proxyToken } = settings;
  const admin = openAdmin({
    plane,
    proxyTokens: proxyToken === null ? [] : [proxyToken],
    tls,
    egress,
    notifier,
    pricePlaces: {
      aggregator: settings.priceAggregatorUrl,
      catalogue: settings.priceCatalogueUrl,
    },
    clock: Date.now,
    usageRetentionDays: settings.usageRetention,
    strictKeyMint: settings.strictKeyMint,
    signInLink: parts.signInLink ?? null,
    dynamicProvidersMax: settings.dynamicProvidersMax,
    needsPermissionToRegister: settings.providerRegistration === 'permitted',
    managed: managedPlace(settings, process.env),
    connectionsPerAddress: settings.connectionsPerAddress,
    log: log.of('admin'),
    ui: readUi(),
    help: helpFolder,
    replica,
    settings,
    program: {
      ...parts.program,
      version: programVersion(),
      uptimeSeconds: () => process.uptime(),
    },
  });
  const { publisher } = plane;
  const stopTelling = publisher.onPublished(onSnapshot);
  const first = publisher.current();
  if (first !== null) onSnapshot(first);
  const { seenBefore } = parts;
  const upkeep = startUpkeep({ plane, admin, settings, seenBefore, log });
  const sweeping = startSweeping({
    plane,
    egress,
    intervalMs: settings.providerSweepInterval * 1000,
    log: log.of('control'),
  });
  const close = async (): Promise<void> => {
    await Promise.all([upkeep.stop(), sweeping.stop()]);
    const cut = await admin.close(settings.shutdownGrace * 1000);
    if (cut > 0)
      log.warn({ connections: cut }, 'admin requests were cut off after the grace period');
    stopTelling();
    await plane.close();
    await notifier.close();
    await egress.dispatcher.destroy();
  };
  try {
    await waiting.close();
    const adminUrl = await namingListener(
      { flag: '--admin-port', port: waiting.port, host },
      admin.listen({ host, port: waiting.port }),
    );
    log.info({ admin: adminUrl }, 'control plane started');
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}
