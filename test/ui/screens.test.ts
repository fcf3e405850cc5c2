// Every screen, empty and full, light and dark, wide and narrow: no error, no violation of the page's policy, no request to
// elsewhere, nothing in the way of assistive technology.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Page } from 'playwright-core';

import { open, sharedCompanyHouse, sharedEmptyHouse, visitor } from './harness/house.ts';
import type { Look } from './harness/house.ts';
import { screenNames } from './harness/screen-names.ts';
import { expectCleanScreen } from './harness/watch.ts';

const light = { theme: 'light', width: 1440 } as const;
const dark = { theme: 'dark', width: 360 } as const;
const all: readonly Look[] = [
  light,
  dark,
  { theme: 'dark', width: 1440 },
  { theme: 'light', width: 360 },
];

/** Full ones are wide and light, empty ones narrow and dark; all four of each by `npm run test:soak`. */
const isWhole = Number(process.env['GW_TEST_LOOKS'] ?? 1) > 1;
const fullLooks = isWhole ? all : [light];
const emptyLooks = isWhole ? all : [dark];

/** Nothing there is a list of which a part could be looked for; of agents and MCP servers the company has none. */
const unlisted: ReadonlySet<string> = new Set([
  'agents',
  'mcp-servers',
  'deployment',
  'fleet',
  'overview',
  'playground',
]);

/** What is open beside a list, too. */
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
  // What shares its elements with these, or is opened by the journeys too.
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

/** Of the parts of the history that say something else where there is nothing. */
const emptyOpened = isWhole
  ? ['history/versions', 'history/requests', 'history/access', 'history/diff', 'history/log']
  : [];

describe('every screen is clean', () => {
  for (const look of fullLooks) {
    const visit = visitor(sharedCompanyHouse, look);
    for (const path of [...screenNames(), ...opened]) {
      it(`${path} with the company, ${look.theme}, ${look.width} px`, async (test) => {
        const { page, watched } = await visit(test, path);
        await expectCleanScreen(page, watched);
        if (look === light && !/[/?]/.test(path)) await expectFilterByKey(page, path);
      });
    }
  }
});

/** In the page: those of what is empty that lack a line, a way on or a command. */
const untaught = (empties: readonly Element[]): readonly string[] =>
  empties
    .filter(
      (one) =>
        one.querySelector('[slot=about]') === null ||
        one.querySelector('a, button') === null ||
        (one.getAttribute('command') ?? '') === '',
    )
    .map((one) => one.getAttribute('heading') ?? '');

/** `/` goes to where the list of a screen is filtered. */
async function expectFilterByKey(page: Page, name: string): Promise<void> {
  await page.keyboard.press('/');
  const isThere = await page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active instanceof HTMLElement && active.dataset['filter'] !== undefined;
  });
  assert.equal(isThere, !unlisted.has(name));
}

describe('every screen is clean where there is nothing', () => {
  for (const look of emptyLooks) {
    const visit = visitor(sharedEmptyHouse, look);
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
    const { page, watched } = await open(test, await sharedEmptyHouse(), '', look);
    await expectCleanScreen(page, watched);
  });
});
