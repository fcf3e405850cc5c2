// Tests the pause after publishing.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { publishPauseMs } from '../../../src/control/publishing/publish-pause.ts';

it('pauses by the cost of publishing, for a large configuration or many proxies', () => {
  const cases = [
    { members: 999, waiting: 9, costMs: 50, pauseMs: 0 },
    { members: 999, waiting: 10, costMs: 5, pauseMs: 20 },
    { members: 1_000, waiting: 0, costMs: 5, pauseMs: 20 },
    { members: 60_000, waiting: 100, costMs: 0, pauseMs: 0 },
    { members: 60_000, waiting: 100, costMs: 60, pauseMs: 100 },
  ];
  for (const { pauseMs, ...cost } of cases) {
    assert.equal(publishPauseMs(cost), pauseMs, JSON.stringify(cost));
  }
});
