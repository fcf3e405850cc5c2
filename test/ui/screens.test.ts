// Tests every screen, empty and full, light and dark, wide and narrow: no error, no policy
// violation, no request to another origin, and no accessibility problem.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { open, sharedCompanyServer, sharedEmptyServer, visitor } from './harness/server.ts';
import type { PageOptions } from './harness/server.ts';
import { screenNames } from './harness/screen-names.ts';
import { expectCleanScreen } from './harness/watch.ts';

const light = { theme: 'light', width: 1440 } as const;
const dark = { theme: 'dark', width: 360 } as const;
const all: readonly PageOptions[] = [
  light,
  dark,
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 360 },
];

/**
 * Full screens are wide and light, empty ones narrow and dark. `npm run test:soak` checks all four
 * combinations of each.
 */
const isWhole = Number(process.env['GW_TEST_LOOKS'] ?? 1) > 1;
const fullLooks = isWhole ? all : [light];
const emptyLooks = isWhole ? all : [dark];

/** These screens have no list to filter; the company has no agents and no MCP servers. */
const unlisted: ReadonlySet<string> = new Set([
  'agents',
  'mcp-servers',
  'deployment',
  'fleet',
  'overview',
  'playground',
  'routing',
  'webhooks',
]);

/** Includes records that are open next to a list. */
const opened = [
  'providers/1',
  'providers/1/edit',
  'keys/5',
  'tokens/1',
  'principals/5',
  'models/2',
  'models/prices',
  'frontend-models/1',
  'frontend-models/1/rules/1',
  'prompt-classes/evaluation',
  'fleet?show=backends',
  'history/events/2000',
  // Screens that share their elements with these, or that other tests open.
  ...(isWhole
    ? [
        'providers/new',
        'keys/new/3',
        'tokens/new/3',
        'roles/3',
        'limits/5/budget',
        'models/2/flow',
        'frontend-models/pools/2/edit',
        'prompt-classes/1',
        'mcp-servers/new',
        'usage/model/gpt-nano',
        'history/access',
        'history/2000',
        'history/versions',
        'history/versions/1000',
        'history/diff?from=1000&to=1400',
        'history/restore/1000',
        'history/requests',
        'history/requests/policy',
        'history/streams',
        'history/log',
        'limits/5?as_of=2900',
      ]
    : []),
];

/** Parts of the history with a different empty state. */
const emptyOpened = isWhole
  ? ['history/versions', 'history/requests', 'history/access', 'history/diff', 'history/log']
  : [];

describe('every screen is clean', () => {
  for (const look of fullLooks) {
    const visit = visitor(sharedCompanyServer, look);
    for (const path of [...screenNames(), ...opened]) {
      it(`${path} with the company, ${look.theme}, ${look.width} px`, async (test) => {
        const { page, watched } = await visit(test, path);
        await expectCleanScreen(page, watched);
        if (look === light && !/[/?]/.test(path)) await expectFilterByKey(page, path);
      });
    }
  }
});

/** Runs in the page: returns empty states without a text, an action or a command. */
const untaught = (empties: readonly Element[]): readonly string[] =>
  empties
    .filter(
      (one) =>
        one.querySelector('[slot=about]') === null ||
        one.querySelector('a, button') === null ||
        (one.getAttribute('command') ?? '') === '',
    )
    .map((one) => one.getAttribute('heading') ?? '');

/** `/` focuses the filter of the list. */
async function expectFilterByKey(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  const isThere = await page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active instanceof HTMLElement && active.dataset['filter'] !== undefined;
  });
  assert.equal(isThere, !unlisted.has(name));
}

describe('every empty screen is clean', () => {
  for (const look of emptyLooks) {
    const visit = visitor(sharedEmptyServer, look);
    for (const name of [...screenNames(), ...emptyOpened]) {
      it(`${name}, ${look.theme}, ${look.width} px`, async (test) => {
        const { page, watched } = await visit(test, name);
        await expectCleanScreen(page, watched);
        assert.deepEqual(await page.locator('gw-empty').evaluateAll(untaught), []);
      });
    }
  }

  it('the login', async (test) => {
    const look = { anonymous: true };
    const { page, watched } = await open(test, await sharedEmptyServer(), '', look);
    await expectCleanScreen(page, watched);
  });
});
