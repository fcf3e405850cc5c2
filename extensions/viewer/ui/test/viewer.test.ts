// Tests the offline viewer in a browser: one local file that shows an export without a server,
// finds an altered line, sends no request, and is accessible.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { before, it } from 'node:test';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import type { Page } from 'playwright-core';

import { buildUi, isStale } from '../../../../scripts/build-ui.ts';
import { exported } from '../../../../test/harness/control/signed-log.ts';
import { temporaryDirectory } from '../../../../test/harness/temporary-directory.ts';
import { writeExport } from '../../../../test/harness/control/sealed-export.ts';
import { openPage, sharedCompanyServer } from '../../../../test/ui/harness/server.ts';
import type { Opened } from '../../../../test/ui/harness/server.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

/** The value in the test, and its text in the UI. */
const contextLength = /4,?242/;

const viewer = path.join(import.meta.dirname, '../../../../ui/dist/viewer.html');

before(async () => {
  if (isStale()) await buildUi();
});

/** An export of the seeded company, and a page on a disk. */
async function given(t: TestContext) {
  const { plane, send } = await sharedCompanyServer();
  await send('PATCH', '/admin/provider-models/1', { context_length: 4_242 });
  const directory = await temporaryDirectory(t);
  const log = path.join(directory, 'log.ndjson');
  await writeFile(log, await exported(plane.db));
  return { directory, log, position: plane.store.state().position };
}

/** Opens the viewer from the disk, with the file loaded. */
async function shown(t: TestContext, log: string): Promise<Opened> {
  const opened = await openPage(t, pathToFileURL(viewer).href, { theme: 'light', width: 1440 });
  await opened.page.locator('#export').setInputFiles(log);
  await opened.page.getByRole('link', { name: 'Integrity' }).waitFor();
  return opened;
}

it('an export is verified, and a change of it found, from a file on a disk', async (t) => {
  const { log, position } = await given(t);
  const { page, watched } = await shown(t, log);
  const events = new Intl.NumberFormat('en').format(position);
  await page.getByText(`${events} events and 0 checkpoints verified in this browser`).waitFor();
  await page.getByLabel('Record').fill('model-1');
  await page.getByLabel('Record').press('Enter');
  await page.locator(`a[href$="/history/${position}?stream=model-1"]`).first().click();
  const change = page.locator('gw-history-change');
  await change.getByText(contextLength).waitFor();
  await change.getByRole('link', { name: 'Configuration at this version' }).click();
  const record = page.locator('gw-history-configuration gw-drawer');
  await record.getByText(contextLength).waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('As of').fill(String(position - 1));
  await page.getByRole('button', { name: 'Show' }).click();
  await page
    .getByText(`position ${position - 1}`)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'gpt-nano', exact: true }).first().click();
  await record.getByText('context_length').waitFor();
  assert.doesNotMatch(await record.innerText(), contextLength);
  await expectCleanScreen(page, watched);
});

it('names the position of an altered line and shows nothing after it', async (t) => {
  const { directory, log } = await given(t);
  const lines = (await readFile(log, 'utf8')).split('\n');
  lines[57] = (lines[57] ?? '').replace('"payload":"{', '"payload":"{ ');
  const altered = path.join(directory, 'altered.ndjson');
  await writeFile(altered, lines.join('\n'));
  const { page, watched } = await shown(t, altered);
  await page.getByText('Position 57: the payload does not match its digest.').waitFor();
  await page.getByRole('link', { name: 'View details' }).click();
  await page.getByText('the line at position 57').waitFor();
  await page.getByText('56', { exact: true }).first().waitFor();
  await expectCleanScreen(page, watched);
});

it('gw history view shows the same, to this machine alone', async (t) => {
  const { log, position } = await given(t);
  const main = path.join(import.meta.dirname, '../../../../src/main.ts');
  const program = spawn(process.execPath, [main, 'history', 'view', log, '--json']);
  t.after(() => program.kill());
  const [line] = await once(createInterface({ input: program.stdout }), 'line');
  const url = new URL(JSON.parse(String(line)).url);
  assert.equal(url.hostname, '127.0.0.1');
  const { page, watched } = await openPage(t, url.href, { theme: 'dark', width: 360 });
  await page
    .getByText(`position ${position}`)
    .or(page.getByText('No tampering found'))
    .first()
    .waitFor();
  await expectCleanScreen(page, watched);
  const answer = await fetch(new URL('/files/passwd', url));
  assert.equal(answer.status, 404);
});

/** `npm run test:soak` uses 300,000. */
const size = Number(process.env['GW_TEST_VIEWER_EVENTS'] ?? 3_000);
const longestMs = 100;

type TraceEvent = Readonly<{
  name: string;
  pid: number;
  tid: number;
  /** CPU time in microseconds, which excludes other work of the machine. */
  tdur?: number;
  args?: Readonly<{ name?: string }>;
}>;

/** The longest task of the page's own thread while something is done, in milliseconds. */
async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  assert.ok(browser);
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await work();
  const trace = (await browser.stopTracing()).toString();
  const { traceEvents: events }: Readonly<{ traceEvents: readonly TraceEvent[] }> =
    JSON.parse(trace);
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}.${tid}`;
  const named = events.filter(({ args }) => args?.name === 'CrRendererMain');
  const own = new Set(named.map(threadOf));
  const tasks = events.filter((one) => one.name.endsWith('RunTask') && own.has(threadOf(one)));
  assert.ok(tasks.length > 0);
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0);
}

it('a long export holds up nothing while it is read, and while it is looked through', async (t) => {
  const log = path.join(await temporaryDirectory(t), 'long.ndjson');
  await writeExport(log, size);
  const { page } = await openPage(t, pathToFileURL(viewer).href);
  page.setDefaultTimeout(300_000);
  const longest = await longestTask(page, async () => {
    await page.locator('#export').setInputFiles(log);
    const events = new Intl.NumberFormat('en').format(size);
    await page.getByText(`${events} events and 0 checkpoints verified in this browser`).waitFor();
    await page.getByLabel('Record').fill('model-7');
    await page.getByLabel('Record').press('Enter');
    await page.getByText('End of list').waitFor();
    await page.getByRole('link', { name: 'Configuration' }).click();
    await page.getByText(`position ${size}`).first().waitFor();
  });
  assert.ok(longest < longestMs, `${longest} ms`);
});
