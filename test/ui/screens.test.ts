// Every screen, empty and full, light and dark, wide and narrow: no error, no violation of the page's policy, no request to
// elsewhere, nothing in the way of assistive technology.

import { describe, it } from 'node:test';

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

/** What is open beside a list, too. */
const opened = [
  'providers/1',
  'providers/new',
  'providers/1/edit',
  'keys/5',
  'keys/new/3',
  'principals/5',
  'roles/3',
  'limits/5/budget',
  'models/2',
  'models/2/flow',
  'models/prices',
  'frontend-models/1',
  'frontend-models/1/rules/1',
  'frontend-models/pools/2/edit',
  'prompt-classes/1',
  'prompt-classes/evaluation',
  'mcp-servers/new',
  'usage/model/gpt-nano',
  'fleet?show=backends',
];

describe('every screen is clean', () => {
  for (const look of fullLooks) {
    const visit = visitor(sharedCompanyHouse, look);
    for (const path of [...screenNames(), ...opened]) {
      it(`${path} with the company, ${look.theme}, ${look.width} px`, async (test) => {
        const { page, watched } = await visit(test, path);
        await expectCleanScreen(page, watched);
      });
    }
  }
});

describe('every screen is clean where there is nothing', () => {
  for (const look of emptyLooks) {
    const visit = visitor(sharedEmptyHouse, look);
    for (const name of screenNames()) {
      it(`${name}, ${look.theme}, ${look.width} px`, async (test) => {
        const { page, watched } = await visit(test, name);
        await expectCleanScreen(page, watched);
      });
    }
  }

  it('the login', async (test) => {
    const look = { anonymous: true };
    const { page, watched } = await open(test, await sharedEmptyHouse(), '', look);
    await expectCleanScreen(page, watched);
  });
});
