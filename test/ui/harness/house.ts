// A control plane that serves the UI, empty or with the seeded company, and the browser that looks at it: one of each for all tests
// of a process. Whoever changes something takes a house of their own.

import { after } from 'node:test';
import type { TestContext } from 'node:test';

import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { buildUi, isStale } from '../../../scripts/build-ui.ts';
import { readUi } from '../../../src/admin/ui.ts';
import { testAdministrator } from '../../harness/admin/admin.ts';
import { filledDatabase } from '../../harness/postgres/postgres.ts';
import { chromiumPath } from './chromium.ts';
import { seedCompany } from './seed.ts';
import { watch } from './watch.ts';
import type { Watched } from './watch.ts';

type Test = Readonly<{ after: TestContext['after'] }>;

/** Something that ends as a test does. */
function lifetime(): Test & Readonly<{ end: () => Promise<void> }> {
  const ends: unknown[] = [];
  return {
    after: (end) => void ends.push(end),
    end: async () => {
      for (const end of ends) if (typeof end === 'function') await Reflect.apply(end, null, []);
    },
  };
}

const file = lifetime();
// Here, and not where it is first needed: what a test asks to be done after it is done after that test.
after(() => file.end());

/** For a program that is no test: what all of it shares, and its end. */
export const wholeRun: Test & Readonly<{ end: () => Promise<void> }> = file;

type Options = NonNullable<Parameters<typeof testAdministrator>[1]>;

export type House = Awaited<ReturnType<typeof testAdministrator>>;

export type Look = Readonly<{
  theme?: 'light' | 'dark';
  width?: 1440 | 360;
  /** Nobody is logged in. */
  anonymous?: boolean;
}>;

export type Opened = Readonly<{ page: Page; watched: Watched }>;

/** Unlike the loopback address, a page from here is none that browsers trust without TLS. */
export const plainHost = 'gw.test';

const browser = once(async (): Promise<Browser> => {
  const opened = await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
    ],
  });
  file.after(() => opened.close());
  return opened;
});

const built = once(async () => {
  if (isStale()) await buildUi();
  return readUi();
});

/** A house of the test's own, in which nothing is but who looks. */
export const emptyHouse = async (
  test: Test,
  options: Pick<Options, 'program' | 'settings' | 'signInLink'> = {},
): Promise<House> => testAdministrator(test, { ...options, ui: await built() });

/** A house of the test's own that an operator manages. */
export const managedHouse = async (
  test: Test,
  managed: NonNullable<Parameters<typeof testAdministrator>[1]>['managed'],
): Promise<House> => testAdministrator(test, { ui: await built(), managed: managed ?? null });

/** A house of the test's own with the seeded company. */
export async function companyHouse(
  test: Test,
  options: Pick<Options, 'program'> = {},
): Promise<House> {
  const database = await filledDatabase('company', async (filling) => {
    const filler = lifetime();
    try {
      await seedCompany(await testAdministrator(filler, { database: filling }));
    } finally {
      await filler.end();
    }
  });
  return testAdministrator(test, { ...options, ui: await built(), database });
}

/** The one that all tests of the file look at. */
export const sharedEmptyHouse = once(() => emptyHouse(file));
export const sharedCompanyHouse = once(() => companyHouse(file));

/** A page of its own at `path`, below /ui/; closed when the test ends. */
export async function open(
  test: Test,
  house: Pick<House, 'url' | 'cookie'>,
  path: string,
  look: Look = {},
): Promise<Opened> {
  const context = await contextOf(house, look);
  test.after(() => context.close());
  return goTo(await context.newPage(), addressIn(house, path));
}

/**
 * One page that goes from address to address, which costs half of what a new one does: the browser keeps what it has read and
 * compiled. For tests that only look, because what one of them keeps in the browser, the next one finds.
 */
export function visitor(house: () => Promise<House>, look: Look) {
  const page = once(async () => {
    const context = await contextOf(await house(), look);
    file.after(() => context.close());
    return context.newPage();
  });
  return async (test: Test, path: string): Promise<Opened> => {
    const opened = await goTo(await page(), addressIn(await house(), path));
    test.after(opened.watched.end);
    return opened;
  };
}

/** How long a page is waited for, which only a failure reaches: a busy machine is slow. */
const waitMs = 60_000;

async function contextOf(
  { url, cookie }: Pick<House, 'url' | 'cookie'>,
  { theme = 'light', width = 1440, anonymous = false }: Look,
): Promise<BrowserContext> {
  const context = await (
    await browser()
  ).newContext({
    baseURL: url,
    viewport: { width, height: 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(waitMs);
  if (!anonymous) await context.addCookies([{ name: 'gw_session', value: cookie, url }]);
  return context;
}

/** A page at an address of any kind, of nobody; closed when the test ends. */
export async function openPage(test: Test, address: string, look: Look = {}): Promise<Opened> {
  const nobody = { url: address, cookie: '' };
  const context = await contextOf(nobody, { ...look, anonymous: true });
  test.after(() => context.close());
  return goTo(await context.newPage(), new URL(address));
}

const addressIn = ({ url }: Pick<House, 'url'>, path: string): URL => new URL(`/ui/${path}`, url);

async function goTo(page: Page, address: URL): Promise<Opened> {
  const watched = watch(page, address.origin);
  await page.goto(address.href);
  await page.locator('h1').first().waitFor();
  return { page, watched };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => (made ??= make());
}
