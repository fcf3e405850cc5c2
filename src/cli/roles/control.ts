// Role control: database, admin API, snapshots for proxies ("What the service does" rule 3). Role all builds on it.

import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import type { Control } from '../../admin/control.ts';
import { createCredentials } from '../../admin/credentials.ts';
import { drain } from '../../admin/drain.ts';
import { adminRoutes } from '../../admin/routes.ts';
import { createAdminServer } from '../../admin/server.ts';
import { createWaitingServer } from '../../admin/waiting.ts';
import { createEgress } from '../../control/egress.ts';
import { createLoginLimit } from '../../control/login-limit.ts';
import { createPasswords } from '../../control/passwords.ts';
import { openControlPlane } from '../../control/plane.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { createAccessToken } from '../../control/service-account.ts';
import { createSessions } from '../../control/sessions.ts';
import { createUsageIntake } from '../../control/usage-intake.ts';
import { createDial } from '../../control/verify-provider.ts';
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
  | 'encryptionKey'
  | 'proxyToken'
  | 'tlsCert'
  | 'tlsKey'
  | 'caBundle'
  | 'egressAllow'
  | 'egressDeny'
  | 'shutdownGrace'
  | 'databaseMaxConnections'
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
  return startControl(settings, { log, onSnapshot: () => {} });
}

type Surroundings = Readonly<{
  log: Log;
  /** Told of each snapshot, from the first one on. */
  onSnapshot: (snapshot: Snapshot) => void;
}>;

/** Listens at once. While the database is away for the first time, everything but /healthz answers 503. */
export async function startControl(
  settings: ControlSettings,
  surroundings: Surroundings,
): Promise<RunningControl> {
  const { log } = surroundings;
  const tls = readTls(settings);
  const plane = await tryOpen(settings, surroundings);
  if (plane !== null) {
    const served = await serveAdmin(plane, {
      settings,
      surroundings,
      tls,
      port: settings.adminPort,
    });
    log.info({ admin: served.adminUrl }, 'control plane started');
    return served;
  }
  const waiting = createWaitingServer(tls, randomUUID);
  const port = await listen(waiting, settings.host, settings.adminPort);
  const adminUrl = urlOf({ tls, host: settings.host, port });
  log.warn({ admin: adminUrl }, 'the database is away; trying again');
  const stop = new AbortController();
  const later = openLater(settings, surroundings, stop.signal).then(async (opened) => {
    await new Promise((resolve) => waiting.close(resolve));
    if (opened === null) return null;
    const served = await serveAdmin(opened, { settings, surroundings, tls, port });
    log.info({ admin: served.adminUrl }, 'control plane started');
    return served;
  });
  later.catch((error: unknown) => log.error({ error }, 'the control plane could not start'));
  return {
    adminUrl,
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
  { log }: Surroundings,
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
      onFailure: (what, error) => log.warn({ error }, what),
    });
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  }
}

type Tls = Readonly<{ cert: string; key: string }> | null;

const readTls = ({ tlsCert, tlsKey }: ControlSettings): Tls =>
  tlsCert === null || tlsKey === null
    ? null
    : { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };

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
  const { dispatcher } = createEgress(
    { allow: settings.egressAllow, deny: settings.egressDeny },
    settings.caBundle === null ? {} : { ca: [readFileSync(settings.caBundle, 'utf8')] },
  );
  const clock = Date.now;
  const { db, vault, refresh, publisher } = plane;
  const control: Control = {
    db,
    reports: plane.reports,
    vault,
    execute: plane.execute,
    state: plane.store.state,
    publisher,
    refresh,
    sessions: createSessions({ db, clock, randomBytes }),
    passwords: createPasswords(),
    loginLimit: createLoginLimit(),
    dial: createDial({ dispatcher, accessToken: createAccessToken({ dispatcher, clock }) }),
    takeUsage: createUsageIntake({ db, vault, state: plane.store.state, refresh, clock }),
    clock,
    newId: randomUUID,
    randomBytes,
    secureCookies: tls !== null,
    log,
  };
  const tokens = settings.proxyToken === null ? [] : [settings.proxyToken];
  const server = createAdminServer({
    routes: adminRoutes,
    control,
    credentials: createCredentials({ control, proxyTokens: tokens }),
    tls,
    newRequestId: randomUUID,
  });
  const stopTelling = publisher.onPublished(({ snapshot }) => onSnapshot(snapshot));
  const first = publisher.current();
  if (first !== null) onSnapshot(first.snapshot);
  const { host } = settings;
  await server.listen({ host, port });
  return {
    adminUrl: urlOf({ tls, host, port: portOf(server.server) }),
    certificate: tls?.cert ?? null,
    close: async () => {
      const cut = await drain(server, settings.shutdownGrace * 1000);
      if (cut > 0) log.warn({ connections: cut }, 'admin requests were cut off after the grace');
      stopTelling();
      await dispatcher.close();
      await plane.close();
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return portOf(server);
}

function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

const urlOf = ({ tls, host, port }: { tls: Tls; host: string; port: number }): string => {
  // A wildcard is no address to call.
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const name = reachable.includes(':') ? `[${reachable}]` : reachable;
  return `${tls === null ? 'http' : 'https'}://${name}:${port}`;
};
