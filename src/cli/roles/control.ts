// Composes role control: database, admin API, snapshots for proxies ("What the service does" rule 3). Role all builds on it.

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

import { openAdmin } from '../../admin/open.ts';
import { helpFolder } from '../../admin/help.ts';
import { readUi } from '../../admin/ui.ts';
import type { Program } from '../../admin/operations/program.ts';
import { listenWaiting } from '../../admin/http/waiting.ts';
import { createEgress } from '../../egress/egress.ts';
import type { Egress } from '../../egress/egress.ts';
import { createNotifier } from '../../control/webhooks/notify.ts';
import type { Notifier } from '../../control/webhooks/notify.ts';
import { createSingleUrl, noSingleUrl } from '../../control/webhooks/single-url.ts';
import type { SignInLink } from '../../control/access/sign-in-link.ts';
import { createRebuildNotices } from '../../control/notify-rebuild.ts';
import { openControlPlane } from '../../control/plane.ts';
import type { ControlPlane } from '../../control/plane.ts';
import type { Published } from '../../control/publishing/published.ts';
import { databaseFailure, isDatabaseUnavailable } from '../../db/failure.ts';
import type { Encoders } from '../../classifier/encoder.ts';
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
    /** Rejects after a start that can never serve, because the database belongs to another program. */
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

/** Listens at once. Until the database is first available, everything except /healthz answers 503. */
export async function startControl(
  settings: ControlSettings,
  surroundings: Surroundings,
): Promise<RunningControl> {
  const { log } = surroundings;
  const { host, adminPort } = settings;
  const replica = replicaName();
  const tls = readTls(settings);
  const egress = openEgress(settings);
  const notifier = openNotifier(settings, egress, log);
  const serve = (plane: ControlPlane, port: number): Promise<RunningControl> =>
    serveAdmin(plane, { settings, surroundings, tls, egress, notifier, replica, port });

  const parts = { ...surroundings, egress, notifier, replica };
  const first = await tryOpen(settings, parts);
  if ('plane' in first) return serve(first.plane, adminPort);

  let failure = databaseFailure(first.away);
  const waiting = await namingListener(
    { flag: '--admin-port', port: adminPort, host },
    listenWaiting({ host, port: adminPort, tls, failure: () => failure }),
  );
  const reason = causes(first.away).join('; ');
  log.warn({ admin: waiting.url, reason }, 'the database is unavailable; retrying');
  const stop = new AbortController();
  const serveLater = async (): Promise<RunningControl | null> => {
    let opened: ControlPlane | null;
    try {
      const tryAgain = async (): Promise<ControlPlane | null> => {
        const opened = await tryOpen(settings, parts);
        if ('plane' in opened) return opened.plane;
        failure = databaseFailure(opened.away);
        return null;
      };
      opened = await openLater(tryAgain, stop.signal);
    } finally {
      await waiting.close();
    }
    return opened === null ? null : serve(opened, waiting.port);
  };
  const later = serveLater();
  const failed = later.then(() => never());
  // The caller that awaits the end of the process gets the error. Until then, it must not be an unhandled rejection.
  failed.catch(() => {});
  return {
    adminUrl: waiting.url,
    certificate: tls?.cert ?? null,
    failed,
    close: async () => {
      stop.abort();
      await (await later.catch(() => null))?.close();
    },
  };
}

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

async function openLater(
  tryAgain: () => Promise<ControlPlane | null>,
  signal: AbortSignal,
): Promise<ControlPlane | null> {
  let waitMs = retryMinMs;
  while (!signal.aborted) {
    await wait(waitMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return null;
    const opened = await tryAgain();
    if (opened !== null) return opened;
    waitMs = Math.min(waitMs * 2, retryMaxMs);
  }
  return null;
}

type PlaneSurroundings = Surroundings &
  Readonly<{ egress: Egress; notifier: Notifier; replica: string }>;
type Opened = Readonly<{ plane: ControlPlane }> | Readonly<{ away: unknown }>;

/** Throws any database failure except unavailability. */
async function tryOpen(
  settings: ControlSettings,
  { log, onCurrent, egress, encoders, notifier, replica }: PlaneSurroundings,
): Promise<Opened> {
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
      onFailure: (what, error) => log.of('control').warn({ error }, `failed: ${what}`),
      onUnpublished: createRebuildNotices({ notify: notifier.notify, replica }),
    });
    return { plane };
  } catch (error) {
    if (isDatabaseUnavailable(error)) return { away: error };
    throw error;
  }
}

type Serving = Readonly<{
  settings: ControlSettings;
  surroundings: Surroundings;
  tls: Tls | null;
  egress: Egress;
  notifier: Notifier;
  replica: string;
  port: number;
}>;

async function serveAdmin(
  plane: ControlPlane,
  { settings, surroundings, tls, egress, notifier, replica, port }: Serving,
): Promise<RunningControl> {
  const { log, onSnapshot } = surroundings;
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
    signInLink: surroundings.signInLink ?? null,
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
      ...surroundings.program,
      version: programVersion(),
      uptimeSeconds: () => process.uptime(),
    },
  });
  const { publisher } = plane;
  const stopTelling = publisher.onPublished(onSnapshot);
  const first = publisher.current();
  if (first !== null) onSnapshot(first);
  const { seenBefore } = surroundings;
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
    const adminUrl = await namingListener(
      { flag: '--admin-port', port, host },
      admin.listen({ host, port }),
    );
    log.info({ admin: adminUrl }, 'control plane started');
    return { adminUrl, certificate: tls?.cert ?? null, failed: never(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
