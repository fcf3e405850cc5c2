// Role control: database, admin API, snapshots for proxies ("What the service does" rule 3). Role all builds on it.

import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

import { openAdmin } from '../../admin/open.ts';
import { listenWaiting } from '../../admin/waiting.ts';
import { openControlPlane } from '../../control/plane.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { isDatabaseUnavailable } from '../../db/failure.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Running } from '../lifetime.ts';
import { logToStderr } from '../log-to-stderr.ts';
import type { SettingValues } from '../settings-table.ts';
import { programVersion } from '../version.ts';

export type ControlSettings = Pick<
  SettingValues,
  | 'host'
  | 'adminPort'
  | 'databaseUrl'
  | 'databaseMaxConnections'
  | 'encryptionKey'
  | 'proxyToken'
  | 'tlsCert'
  | 'tlsKey'
  | 'caBundle'
  | 'egressAllow'
  | 'egressDeny'
  | 'shutdownGrace'
>;

export type RunningControl = Running &
  Readonly<{
    adminUrl: string;
    /** The certificate of the admin listener, PEM; null when it speaks plain HTTP. */
    certificate: string | null;
  }>;

export async function runControl(
  settings: ControlSettings & Pick<SettingValues, 'log' | 'logFormat'>,
): Promise<RunningControl> {
  const log = logToStderr(settings);
  return startControl(settings, { log, onSnapshot: () => {}, onCurrent: () => {} });
}

type Surroundings = Readonly<{
  log: Log;
  /** Told of each snapshot, from the first one on. */
  onSnapshot: (snapshot: Snapshot) => void;
  /** Told whenever the log was read to its head: what was last published is current. */
  onCurrent: () => void;
}>;

type Tls = Readonly<{ cert: string; key: string }> | null;

/** Listens at once. While the database is away for the first time, everything but /healthz answers 503. */
export async function startControl(
  settings: ControlSettings,
  surroundings: Surroundings,
): Promise<RunningControl> {
  const { log } = surroundings;
  const { host, adminPort, tlsCert, tlsKey } = settings;
  const tls: Tls =
    tlsCert === null || tlsKey === null
      ? null
      : { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
  const serve = (plane: ControlPlane, port: number): Promise<RunningControl> =>
    serveAdmin(plane, { settings, surroundings, tls, port });

  const plane = await tryOpen(settings, surroundings);
  if (plane !== null) return serve(plane, adminPort);

  const waiting = await listenWaiting({ host, port: adminPort, tls });
  log.warn({ admin: waiting.url }, 'the database is away; trying again');
  const stop = new AbortController();
  const later = openLater(settings, surroundings, stop.signal).then(async (opened) => {
    await waiting.close();
    return opened === null ? null : serve(opened, waiting.port);
  });
  later.catch((error: unknown) => log.error({ error }, 'the control plane could not start'));
  return {
    adminUrl: waiting.url,
    certificate: tls?.cert ?? null,
    close: async () => {
      stop.abort();
      await (await later)?.close();
    },
  };
}

const retryMinMs = 250;
const retryMaxMs = 5000;

async function openLater(
  settings: ControlSettings,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<ControlPlane | null> {
  let waitMs = retryMinMs;
  while (!signal.aborted) {
    await wait(waitMs, undefined, { signal }).catch(() => {});
    const plane = signal.aborted ? null : await tryOpen(settings, surroundings);
    if (plane !== null) return plane;
    waitMs = Math.min(waitMs * 2, retryMaxMs);
  }
  return null;
}

/** Null when the database is away; whatever else is wrong with it is thrown. */
async function tryOpen(
  { databaseUrl, encryptionKey, databaseMaxConnections }: ControlSettings,
  { log, onCurrent }: Surroundings,
): Promise<ControlPlane | null> {
  if (databaseUrl === null || encryptionKey === null) {
    throw new Error('role control needs a database address and an encryption key');
  }
  try {
    return await openControlPlane({
      databaseUrl,
      encryptionKey: Buffer.from(encryptionKey, 'hex'),
      connectionsMax: databaseMaxConnections,
      appVersion: programVersion(),
      clock: Date.now,
      onCurrent,
      onFailure: (what, error) => log.warn({ error }, what),
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  }
}

type Serving = Readonly<{
  settings: ControlSettings;
  surroundings: Surroundings;
  tls: Tls;
  port: number;
}>;

async function serveAdmin(
  plane: ControlPlane,
  { settings, surroundings, tls, port }: Serving,
): Promise<RunningControl> {
  const { log, onSnapshot } = surroundings;
  const { proxyToken, caBundle, egressAllow, egressDeny } = settings;
  const admin = openAdmin({
    plane,
    proxyTokens: proxyToken === null ? [] : [proxyToken],
    tls,
    egress: { allow: egressAllow, deny: egressDeny },
    caBundle: caBundle === null ? [] : [readFileSync(caBundle, 'utf8')],
    clock: Date.now,
    log,
  });
  const { publisher } = plane;
  const stopTelling = publisher.onPublished(({ snapshot }) => onSnapshot(snapshot));
  const first = publisher.current();
  if (first !== null) onSnapshot(first.snapshot);
  const close = async (): Promise<void> => {
    const cut = await admin.close(settings.shutdownGrace * 1000);
    if (cut > 0) log.warn({ connections: cut }, 'admin requests were cut off after the grace');
    stopTelling();
    await plane.close();
  };
  try {
    const adminUrl = await admin.listen({ host: settings.host, port });
    log.info({ admin: adminUrl }, 'control plane started');
    return { adminUrl, certificate: tls?.cert ?? null, close };
  } catch (error) {
    await close();
    throw error;
  }
}
