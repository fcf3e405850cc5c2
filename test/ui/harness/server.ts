// Starts a control plane that serves the UI, empty or with the seeded company, and the browser for
// it. All tests of a process share one of each; a test that makes changes starts its own server.

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

/** Runs its callbacks when it ends, like a test. */
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
// Registered at load: a hook that a test registers would run after that test.
after(() => file.end());

/** For programs that are not tests: the lifetime of everything that is shared. */
export const processLifetime: Test & Readonly<{ end: () => Promise<void> }> = file;

type Options = NonNullable<Parameters<typeof testAdministrator>[1]>;

export type Server = Awaited<ReturnType<typeof testAdministrator>>;

export type PageOptions = Readonly<{
  theme?: 'light' | 'dark';
  width?: 1440 | 360;
  /** No user is signed in. */
  anonymous?: boolean;
}>;

export type Opened = Readonly<{ page: Page; watched: Watched }>;

/** Unlike the loopback address, browsers do not trust this host without TLS. */
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

/** Starts a server for one test, with its administrator only. */
export const emptyServer = async (
  test: Test,
  options: Pick<Options, 'program' | 'settings' | 'signInLink'> = {},
): Promise<Server> => testAdministrator(test, { ...options, ui: await built() });

/** Starts a server for one test that an operator manages. */
export const managedServer = async (
  test: Test,
  managed: NonNullable<Parameters<typeof testAdministrator>[1]>['managed'],
): Promise<Server> => testAdministrator(test, { ui: await built(), managed: managed ?? null });

/** Starts a server for one test with the seeded company. */
export async function companyServer(
  test: Test,
  options: Pick<Options, 'program'> = {},
): Promise<Server> {
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

/** Shared by all tests of the file. */
export const sharedEmptyServer = once(() => emptyServer(file));
export const sharedCompanyServer = once(() => companyServer(file));

/** Opens a new page at `path`, below /ui/. It is closed when the test ends. */
export async function open(
  test: Test,
  server: Pick<Server, 'url' | 'cookie'>,
  path: string,
  options: PageOptions = {},
): Promise<Opened> {
  const context = await contextOf(server, options);
  test.after(() => context.close());
  return goTo(await context.newPage(), addressIn(server, path));
}

/**
 * Reuses one page for all addresses, which takes half the time of a new page because the browser
 * keeps compiled code. For tests that change nothing: what the browser stores is visible to the
 * next test.
 */
export function visitor(server: () => Promise<Server>, options: PageOptions) {
  const page = once(async () => {
    const context = await contextOf(await server(), options);
    file.after(() => context.close());
    return context.newPage();
  });
  return async (test: Test, path: string): Promise<Opened> => {
    const opened = await goTo(await page(), addressIn(await server(), path));
    test.after(opened.watched.end);
    return opened;
  };
}

/** Limit for page operations. Only failures reach it, even on a busy machine. */
const waitMs = 60_000;

async function contextOf(
  { url, cookie }: Pick<Server, 'url' | 'cookie'>,
  { theme = 'light', width = 1440, anonymous = false }: PageOptions,
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

/** Opens a page at any address without a session. It is closed when the test ends. */
export async function openPage(
  test: Test,
  address: string,
  options: PageOptions = {},
): Promise<Opened> {
  const anonymous = { url: address, cookie: '' };
  const context = await contextOf(anonymous, { ...options, anonymous: true });
  test.after(() => context.close());
  return goTo(await context.newPage(), new URL(address));
}

const addressIn = ({ url }: Pick<Server, 'url'>, path: string): URL => new URL(`/ui/${path}`, url);

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
