// Holds what is said when the code of a screen does not come.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { codeTrouble } from '../../../../ui/lib/page/code-trouble.ts';

it('a server that was upgraded is told from one that is gone, and from one that lacks a file', () => {
  const entry = 'index-B7xQ.js';
  const cases = [
    [null, 'unreachable'],
    ['<script type="module" src="./assets/index-B7xQ.js"></script>', 'no_code'],
    ['<script type="module" src="../../assets/index-Zz01.js"></script>', 'other_build'],
  ] as const;
  for (const [page, code] of cases) assert.equal(codeTrouble({ page, entry }).code, code);
  assert.match(codeTrouble({ page: '', entry }).message, /reload the page/);
});
