// Measures the memory of a tab that stays open for days: screens poll at fifty times their rate while the
// configuration, the log and the reports of replicas change. `node bench/ui-days.ts [--rounds 8] [--tab fleet]`, with
// Chromium, on a control plane of its own.

import { parseArgs } from 'node:util';

import type { CDPSession, Page } from 'playwright-core';

import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { reportReplica } from '../test/ui/harness/fleet.ts';
import { companyServer, open, processLifetime } from '../test/ui/harness/server.ts';
import type { Server } from '../test/ui/harness/server.ts';
import { scriptBytes } from './heap.ts';

const { rounds: wantedRounds, tab: wantedTab } = parseArgs({
  options: { rounds: { type: 'string', default: '8' }, tab: { type: 'string', default: '' } },
}).values;
const rounds = Number(wantedRounds);
const pace = 50;
const pollsARound = 60;
/** Memory grows at first while caches fill: bounded lists and templates. */
const warmRounds = 3;
const bounds = { growthKb: 64, nodes: 50, listeners: 10 } as const;

/** Each tab, with the request of each of its polls. */
const tabs: readonly (readonly [path: string, polled: string])[] = [
  ['overview', '/admin/timeseries'],
  ['metrics', '/admin/fleet'],
  ['fleet', '/admin/fleet'],
  ['audit?live=1', '/admin/audit'],
  ['usage', '/admin/usage'],
];

/** Text, because it runs in the page. Waits of a second or more become fifty times shorter. */
const hurry = `{
  const { setTimeout: wait, setInterval: repeat } = window;
  const soon = (ms) => (ms >= 1000 ? ms / ${pace} : ms);
  window.setTimeout = (run, ms, ...rest) => wait(run, soon(ms), ...rest);
  window.setInterval = (run, ms, ...rest) => repeat(run, soon(ms), ...rest);
}`;

type Kept = Readonly<{ heapKb: number; nodes: number; listeners: number }>;

await globalSetup();
let isHeld = true;
try {
  const server = await companyServer(processLifetime);
  for (const [path, polled] of tabs.filter(([name]) => name.startsWith(wantedTab))) {
    isHeld = (await watchTab(server, path, polled)) && isHeld;
  }
} finally {
  await processLifetime.end();
  await globalTeardown();
}
process.exit(isHeld ? 0 : 1);

async function watchTab(server: Server, path: string, polled: string): Promise<boolean> {
  const { page } = await open(processLifetime, server, 'settings');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.addInitScript(hurry);
  await page.goto(`/ui/${path}`);
  const kept: Kept[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await goOn(server, round);
    await polls(page, polled);
    kept.push(await keptBy(session));
  }
  await page.context().close();
  return report(path, kept);
}

/** Makes a change of the configuration, its audit row, and new reports. */
async function goOn(server: Server, round: number): Promise<void> {
  const made = await server.send('POST', '/admin/roles', {
    name: `of-round-${round}-${Date.now()}`,
  });
  const id = Reflect.get(Object(made.body), 'id');
  await server.send('DELETE', `/admin/roles/${id}`);
  for (const replica of ['one', 'two']) await reportReplica(server, { replica, version: round });
}

async function polls(page: Page, polled: string): Promise<void> {
  for (let poll = 0; poll < pollsARound; poll += 1) {
    await page.waitForResponse((response) => new URL(response.url()).pathname === polled);
  }
}

async function keptBy(session: CDPSession): Promise<Kept> {
  const heapKb = Math.round((await scriptBytes(session)) / 1024);
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (wanted: string): number =>
    metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  return { heapKb, nodes: of('Nodes'), listeners: of('JSEventListeners') };
}

/** The difference between the end of the warm-up rounds and the last round. */
function report(path: string, kept: readonly Kept[]): boolean {
  const grown = (of: (one: Kept) => number): number => {
    const last = kept.at(-1);
    const first = kept[warmRounds];
    return last === undefined || first === undefined ? Number.NaN : of(last) - of(first);
  };
  const heapKb = grown((one) => one.heapKb);
  const nodes = grown((one) => one.nodes);
  const listeners = grown((one) => one.listeners);
  const isHeld =
    heapKb <= bounds.growthKb && nodes <= bounds.nodes && listeners <= bounds.listeners;
  console.log(
    `${path}, ${rounds * pollsARound} polls: heap ${kept.map((one) => one.heapKb).join(' ')} KB, ${heapKb} more; ${nodes} nodes and ${listeners} listeners more; ${isHeld ? 'holds' : 'does not hold'}`,
  );
  return isHeld;
}
