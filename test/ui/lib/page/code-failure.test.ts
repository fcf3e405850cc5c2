// Tests the message when the code of a screen fails to load.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { codeFailure } from '../../../../ui/lib/page/code-failure.ts';

it('distinguishes an upgraded server, an unreachable one, and a missing file', () => {
  const entry = 'index-B7xQ.js';
  const cases = [
    [null, 'unreachable'],
    ['<script type="module" src="./assets/index-B7xQ.js"></script>', 'no_code'],
    ['<script type="module" src="../../assets/index-Zz01.js"></script>', 'other_build'],
  ] as const;
  for (const [page, code] of cases) assert.equal(codeFailure({ page, entry }).code, code);
  assert.match(codeFailure({ page: '', entry }).message, /reload the page/);
});
