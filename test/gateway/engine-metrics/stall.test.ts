// An engine is wedged when requests run in it and nothing moves, if it has been seen to move before.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { afterPage, isStalled, noBaseline } from '../../../src/gateway/engine-metrics/stall.ts';

type Page = readonly [progress: string | null, running: number];

const after = (pages: readonly Page[]) =>
  pages.reduce((stall, [progress, running]) => afterPage(stall, { progress, running }), noBaseline);

const frozen = (times: number): readonly Page[] => Array.from({ length: times }, () => ['2', 1]);

for (const [what, pages, expected] of [
  ['five pages without a move', [['1', 0], ['2', 1], ...frozen(5)], true],
  ['four pages without a move', [['1', 0], ['2', 1], ...frozen(4)], false],
  ['no page on which it ever moved', frozen(20), false],
  ['nothing runs', [['1', 0], ['2', 1], ...frozen(20).map(() => ['2', 0] as const)], false],
  ['it moved again', [['1', 0], ['2', 1], ...frozen(20), ['3', 1]], false],
  ['its counters are gone', [['1', 0], ['2', 1], ...frozen(20), [null, 1]], false],
] as const) {
  it(`an engine is ${expected ? '' : 'not '}wedged: ${what}`, () =>
    assert.equal(isStalled(after(pages), 2), expected));
}

it('a longer probe limit also applies to stalled engines', () => {
  assert.equal(isStalled(after([['1', 0], ['2', 1], ...frozen(8)]), 9), false);
  assert.equal(isStalled(after([['1', 0], ['2', 1], ...frozen(9)]), 9), true);
});
