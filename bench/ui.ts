// Measures the response times of the management UI: the first load on a slow machine, and scrolling, filtering and
// sorting 10,000 rows. `node bench/ui.ts [--rounds 5]`, with Chromium, on a control plane of its own.

import type { Page } from 'playwright-core';

import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts';
import { companyServer, open, processLifetime } from '../test/ui/harness/server.ts';
import type { Server } from '../test/ui/harness/server.ts';
import { fillKeys } from '../test/ui/harness/seed.ts';

const given = process.argv.indexOf('--rounds');
const rounds = given === -1 ? 5 : Number(process.argv[given + 1]);
const rows = 10_000;
const slowDown = 4;

/** The limits. */
const bounds = { firstLoadMs: 1_000, longTaskMs: 100 } as const;

/** The actions of a person, step by step. */
type Act = (page: Page) => AsyncGenerator<void>;

/** Text, because it runs in the page, which has other types than this program. */
const inPage = {
  firstPaint: `performance.getEntriesByName('first-contentful-paint')[0].startTime`,
  drawn: `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`,
  scrollTo: (part: number): string => `{
    const screen = document.querySelector('gw-app').shadowRoot.querySelector('.screen').shadowRoot;
    const region = screen.querySelector('gw-table').shadowRoot.querySelector('.scroll');
    region.scrollTop = region.scrollHeight * ${part};
  }`,
} as const;

const acts: Readonly<Record<string, Act>> = {
  'scrolled from end to end': async function* (page) {
    for (let step = 0; step <= 40; step += 1) {
      await page.evaluate(inPage.scrollTo(step / 40));
      yield;
    }
  },
  'filtered letter by letter': async function* (page) {
    const filter = page.getByPlaceholder('Filter');
    for (const letter of 'search-service-41') {
      await filter.press(letter);
      yield;
    }
    await filter.fill('');
    yield;
  },
  'ordered by a column': async function* (page) {
    await page.getByRole('columnheader', { name: 'Principal' }).getByRole('button').click();
    yield;
  },
};

await globalSetup();
try {
  const server = await companyServer(processLifetime);
  await fillKeys(server.plane, rows);
  const loads = await repeated(() => firstLoad(server));
  report(`first load, CPU slowed ${slowDown} times: painted`, loads, bounds.firstLoadMs);
  const table = await open(processLifetime, server, 'keys?rows=0');
  await table.page.getByText('10,000 keys', { exact: true }).waitFor();
  for (const [name, act] of Object.entries(acts)) {
    const longest = await repeated(() => longestStep(table.page, act));
    report(`${rows} rows, ${name}: CPU of the longest step`, longest, bounds.longTaskMs);
  }
} finally {
  await processLifetime.end();
  await globalTeardown();
}
process.exit();

async function repeated(measure: () => Promise<number>): Promise<readonly number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) values.push(await measure());
  return values.toSorted((a, b) => a - b);
}

function report(what: string, values: readonly number[], bound: number): void {
  const median = values[Math.floor(values.length / 2)] ?? 0;
  const numbers = values.map((value) => value.toFixed(0)).join(' ');
  const verdict = median <= bound ? 'holds' : 'does not hold';
  console.log(`${what} ${median.toFixed(0)} ms (${numbers}); at most ${bound} ms ${verdict}`);
}

/** Milliseconds until the overview shows its numbers, with an empty browser cache. */
async function firstLoad({ url, cookie }: Server): Promise<number> {
  const { page } = await open(processLifetime, { url, cookie }, 'settings');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowDown });
  await page.goto('/ui/');
  await page.locator('gw-kpi').first().waitFor();
  const painted = await page.evaluate(inPage.firstPaint);
  await page.context().close();
  return Number(painted);
}

/** Milliseconds of CPU of all tasks of the page in one step, an upper bound of the longest task. */
async function longestStep(page: Page, act: Act): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busyMs = async (): Promise<number> => {
    await page.evaluate(inPage.drawn);
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  let before = await busyMs();
  let longest = 0;
  for await (const _ of act(page)) {
    const now = await busyMs();
    longest = Math.max(longest, now - before);
    before = now;
  }
  await session.detach();
  return longest;
}
