// Checks the listeners, and that the control plane, providers and webhook receivers can be reached.

import { createServer } from 'node:net';

import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';

import { createEgress } from '../../egress/egress.ts';
import { causes } from '../printing/failure.ts';
import { readCaBundle } from '../pem-files.ts';
import type { Settings } from '../settings/settings.ts';
import { checkReadiness, readinessUrls } from '../health-check.ts';
import { clockWarningMs } from './database-checks.ts';
import { failed, ok, warning } from './check.ts';
import type { Check, Finding, Subject } from './check.ts';

type Run = Check['run'];

export const checkListeners: Run = async ({ settings }) => {
  const { role, host, port, adminPort } = settings;
  const listeners = [
    ['--port', port, role !== 'control'],
    ['--admin-port', adminPort, role !== 'proxy'],
  ] as const;
  const findings: Finding[] = [];
  for (const [flag, at, isUsed] of listeners) {
    if (isUsed) findings.push(await checkListener(settings, { flag, host, port: at }));
  }
  return findings;
};

type Place = Readonly<{ flag: string; host: string; port: number }>;

async function checkListener(settings: Settings, place: Place): Promise<Finding> {
  const { flag, host, port } = place;
  const code = await bindFailure(place);
  if (code === null) return ok(`${flag} ${port} on ${host} is free`);
  const urls = readinessUrls(settings).filter((url) => new URL(url).port === String(port));
  const [answer] = code === 'EADDRINUSE' ? await checkReadiness(urls) : [];
  if (answer?.isReady === true) return ok(`${flag} ${port}: gw serves it`);
  if (answer?.result === '503') return warning(`${flag} ${port}: gw answers that it is not ready`);
  return failed(`${flag} ${port} on ${host} cannot be bound (${code}); choose another one`);
}

/** Null if the address is free. */
async function bindFailure({ host, port }: Place): Promise<string | null> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<string | null>();
  server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  server.listen(port, host, () => server.close(() => resolve(null)));
  return promise;
}

const answerMs = 10_000;

/** Any answer will do. */
async function dial(url: string, dispatcher: Dispatcher, token: string | null = null) {
  const answer = await request(url, {
    dispatcher,
    method: 'GET',
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(answerMs),
  });
  answer.body.on('error', () => {}).destroy();
  return { status: answer.statusCode, date: answer.headers['date'] };
}

export const checkControl: Run = async ({ settings }) => {
  const { controlUrl, proxyToken } = settings;
  if (controlUrl === null) return [];
  const ca = readCaBundle(settings);
  const dispatcher = new Agent({ connect: ca.length === 0 ? {} : { ca: [...ca] } });
  try {
    const base = controlUrl.replace(/\/snapshot$/, '');
    const { status, date } = await dial(`${base}/snapshot`, dispatcher, proxyToken);
    const findings = [snapshotFinding(base, status)];
    const offMs = Math.abs(Date.parse(String(date)) - Date.now());
    // The header has whole seconds.
    if (offMs > clockWarningMs + 1000) {
      findings.push(
        warning(`its clock differs by ${Math.round(offMs / 1000)} s; synchronise both by NTP`),
      );
    }
    return findings;
  } finally {
    await dispatcher.destroy();
  }
};

function snapshotFinding(base: string, status: number): Finding {
  if (status === 200) return ok(`${base} sends snapshots`);
  if (status === 401) return failed(`${base} does not accept GW_PROXY_TOKEN; use its token`);
  return failed(`${base} answers ${status} to GET /snapshot; check --control-url`);
}

type Target = Readonly<{ name: string; url: string }>;

const targetsMax = 500;
const dialsAtOnce = 8;

export const checkProviders: Run = (subject) =>
  checkTargets(subject, async (db) => {
    const { listProviders } = await import('../../../projections/tables/providers.ts');
    const listed = await listProviders(db, { after: null, limit: targetsMax });
    return listed.map(({ name, api_base: url }) => ({ name, url }));
  });

export const checkWebhooks: Run = (subject) =>
  checkTargets(subject, async (db) => {
    const { listWebhookEndpoints } =
      await import('../../../projections/tables/webhook-endpoints.ts');
    const listed = await listWebhookEndpoints(db, { after: null, limit: targetsMax });
    const { webhookUrl } = subject.settings;
    return [
      ...(webhookUrl === null ? [] : [{ name: '--webhook-url', url: new URL(webhookUrl).origin }]),
      ...listed.filter(({ enabled }) => enabled).map(({ name, origin: url }) => ({ name, url })),
    ];
  });

type List = (db: NonNullable<Subject['db']>) => Promise<readonly Target[]>;

async function checkTargets({ db, settings }: Subject, list: List): Promise<readonly Finding[]> {
  const { databaseUrl, egressAllow: allow, egressDeny: deny } = settings;
  if (db === null || databaseUrl === null) return [];
  const { readModelSchema, readModelStanding } = await import('../../../projections/read-model.ts');
  const standing = await readModelStanding(db);
  if (standing === null || standing.builtAt === null) {
    return [warning('not known, because no control process of this release has started yet')];
  }
  const { openDatabase } = await import('../../db/pool.ts');
  const applicationName = 'gw doctor';
  const place = { url: databaseUrl, purpose: 'reports', applicationName } as const;
  const tables = openDatabase({ ...place, connectionsMax: 1, schema: readModelSchema });
  const ca = readCaBundle(settings);
  const egress = createEgress({ allow, deny }, ca.length === 0 ? {} : { ca });
  try {
    return await dialAll(await list(tables), egress.dispatcher);
  } finally {
    await egress.dispatcher.destroy();
    await tables.dispose();
  }
}

async function dialAll(
  targets: readonly Target[],
  dispatcher: Dispatcher,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let at = 0; at < targets.length; at += dialsAtOnce) {
    const some = targets.slice(at, at + dialsAtOnce);
    findings.push(...(await Promise.all(some.map((target) => dialTarget(target, dispatcher)))));
  }
  return findings;
}

async function dialTarget({ name, url }: Target, dispatcher: Dispatcher): Promise<Finding> {
  const { origin } = new URL(url);
  try {
    await dial(origin, dispatcher);
    return ok(`${name}: ${origin} answers`);
  } catch (error) {
    return failed(`${name}: ${origin} does not answer (${causes(error).join('; ')})`);
  }
}
