// Takes the pictures of docs/tour.md, of every screen in both themes, and writes the page: `npm run
// docs:tour`. Uses the seeded company with reporting replicas, a gateway and a managed deployment.
// An argument selects pictures by name: `npm run docs:tour -- viewer`.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import type { Page } from 'playwright-core';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { settingFacts } from '../../src/cli/settings/setting-facts.ts';
import { readSettings } from '../../src/cli/settings/settings.ts';
import { programVersion } from '../../src/cli/version.ts';
import { exported } from '../harness/control/signed-log.ts';
import { startFollowingGateway, programWith } from '../harness/gateway/following-gateway.ts';
import type { Place } from '../harness/gateway/following-gateway.ts';
import { globalSetup, globalTeardown } from '../harness/global-setup.ts';
import {
  namespace,
  reconcileAll,
  resourceName,
  settle,
  startManagedCluster,
} from '../harness/cluster/managed-deployment.ts';
import { reportReplica } from './harness/fleet.ts';
import { companyServer, managedServer, open, openPage, processLifetime } from './harness/server.ts';
import type { Server } from './harness/server.ts';
import { stops } from './tour/stops.ts';
import type { Stop } from './tour/stops.ts';

const docs = path.join(import.meta.dirname, '../../docs');
const viewer = path.join(import.meta.dirname, '../../ui/dist/viewer.html');
const pictures = path.join(docs, 'tour');
const themes = ['light', 'dark'] as const;
const quality = 60;
const [, , word = ''] = process.argv;

await globalSetup();
try {
  if (word === '') rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const company = await furnished();
  for (const stop of stops.filter(({ name }) => name.includes(word))) {
    const server = stop.managed === true ? await managed() : company.server;
    for (const theme of themes) await take(stop, { server, theme, key: company.key });
    console.log(stop.name);
  }
  writeFileSync(path.join(docs, 'tour.md'), pageOf(stops));
} finally {
  await processLifetime.end();
  await globalTeardown();
}
process.exit();

/** Rolled out by an operator. */
async function managed(): Promise<Server> {
  const cluster = await startManagedCluster(processLifetime);
  await reconcileAll(cluster, { afterPass: () => settle(cluster) });
  return managedServer(processLifetime, { place: cluster.place, namespace, name: resourceName });
}

/** Adds data that the seeded company does not have. */
async function furnished(): Promise<Readonly<{ server: Server; key: string }>> {
  const place: Place = { url: null };
  const read = readSettings({
    flags: {},
    env: { GW_ROLE: 'all', GW_DATABASE_URL: 'postgres://gw@db/gw', GW_LOG_FORMAT: 'json' },
    readFile: () => '',
  });
  if (!('settings' in read)) throw new Error('the settings of the tour are wrong');
  const settings = settingFacts(read.settings);
  const program = { ...programWith(place), version: programVersion(), settings };
  const server = await companyServer(processLifetime, { program });
  const demo = await startDemoProvider({ port: 0 });
  processLifetime.after(demo.close);
  const made = async (route: string, body: unknown): Promise<unknown> =>
    (await server.send('POST', route, body)).body;
  const provider = await made('/admin/providers', { name: 'Demo', api_base: demo.apiBase });
  const priced = { input_price_per_mtok: 250_000, output_price_per_mtok: 1_000_000 };
  const model = await made('/admin/provider-models', { name: 'demo', ...priced });
  await made(`/admin/provider-models/${idOf(model)}/backends`, { provider_id: idOf(provider) });
  await made('/admin/frontend-models', { name: 'ask', default_targets: ['demo'] });
  for (const name of ['search', 'tickets', 'calendar']) {
    await made('/admin/mcp-servers', { name, url: `https://${name}.tools.example/mcp` });
    await made('/admin/a2a-agents', {
      name: `${name}-agent`,
      url: `https://${name}.agents.example`,
    });
  }
  const { key } = Object(await made('/admin/keys', { name: 'tour', principal_id: 1 }));
  await startFollowingGateway(processLifetime, server, place);
  return { server, key: String(key) };
}

/** A replica without recent reports is omitted. */
async function report(server: Server): Promise<void> {
  const { version } = server.plane.store.state();
  await reportReplica(server, { replica: 'gateway-eu-1', version, down: 1 });
  await reportReplica(server, { replica: 'gateway-eu-2', version });
  await reportReplica(server, { replica: 'gateway-us-1', version: version - 4 });
}

function idOf(record: unknown): number {
  return Number(Reflect.get(Object(record), 'id'));
}

type Given = Readonly<{ server: Server; theme: (typeof themes)[number]; key: string }>;

async function take(stop: Stop, { server, theme, key }: Given): Promise<void> {
  if (stop.managed !== true) await report(server);
  const { page } =
    stop.offline === true
      ? await openOffline(stop, server, theme)
      : await open(processLifetime, server, stop.path, { theme });
  await stop.act?.(page, { key });
  await page.waitForLoadState('networkidle');
  // Waits until charts are drawn and drawers are open.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 400)));
  writeFileSync(path.join(pictures, `${stop.name}-${theme}.webp`), await pictureOf(page));
  await page.context().close();
}

async function openOffline({ path: place }: Stop, { plane }: Server, theme: Given['theme']) {
  const opened = await openPage(processLifetime, `${pathToFileURL(viewer).href}#/${place}`, {
    theme,
  });
  const buffer = Buffer.from(await exported(plane.db));
  const log = { name: 'log.ndjson', mimeType: 'application/x-ndjson', buffer };
  await opened.page.locator('#export').setInputFiles(log);
  await opened.page.locator('gw-history-change dl').waitFor();
  return opened;
}

async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
  return Buffer.from(data, 'base64');
}

function pageOf(shown: readonly Stop[]): string {
  const parts = shown.map(
    ({ name, title, about }) =>
      `## ${title}\n\n${about}\n\n<picture>\n` +
      `  <source media="(prefers-color-scheme: dark)" srcset="tour/${name}-dark.webp">\n` +
      `  <img src="tour/${name}-light.webp" alt="${title}">\n</picture>\n`,
  );
  const head =
    '# A tour of the management UI\n\nThe screens of a company with 12 providers, 60 models, 300 principals and two weeks of usage. ' +
    '`npm run docs:tour` takes the pictures.\n';
  return [head, ...parts].join('\n');
}
