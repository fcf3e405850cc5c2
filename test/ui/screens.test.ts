// Every screen, empty and full, light and dark, wide and narrow: no error, no violation of the page's policy, no request to
// elsewhere, nothing in the way of assistive technology.

import { describe, it } from 'node:test';

import { open, sharedCompanyHouse, sharedEmptyHouse } from './harness/house.ts';
import type { Look } from './harness/house.ts';
import { screenNames } from './harness/screen-names.ts';
import { expectCleanScreen } from './harness/watch.ts';

/** All four by `npm run test:soak`. */
const looks: readonly Look[] = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
  ...(Number(process.env['GW_TEST_LOOKS'] ?? 2) > 2
    ? ([
        { theme: 'dark', width: 1440 },
        { theme: 'light', width: 360 },
      ] as const)
    : []),
];

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
  'mcp-servers/new',
  'usage/model/gpt-nano',
  'fleet?show=backends',
];

describe('every screen is clean', () => {
  for (const path of [...screenNames(), ...opened]) {
    for (const look of looks) {
      it(`${path} with the company, ${look.theme}, ${look.width} px`, async (test) => {
        const { page, watched } = await open(test, await sharedCompanyHouse(), path, look);
        await expectCleanScreen(page, watched);
      });
    }
  }
});

describe('every screen is clean where there is nothing', () => {
  for (const name of screenNames()) {
    const theme = name.length % 2 === 0 ? 'light' : 'dark';
    const width = name.length % 3 === 0 ? 360 : 1440;
    it(`${name}, ${theme}, ${width} px`, async (test) => {
      const { page, watched } = await open(test, await sharedEmptyHouse(), name, { theme, width });
      await expectCleanScreen(page, watched);
    });
  }

  it('the login', async (test) => {
    const look = { anonymous: true };
    const { page, watched } = await open(test, await sharedEmptyHouse(), '', look);
    await expectCleanScreen(page, watched);
  });
});
