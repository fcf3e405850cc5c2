// Tests the pause after publishing a large configuration.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { publishPauseMs } from '../../../src/control/publishing/publish-pause.ts';

it('pauses by the cost of a build, and longer while proxies fetch whole snapshots', () => {
  const cases = [
    { members: 999, buildMs: 50, isWholeSent: true, pauseMs: 0 },
    { members: 60_000, buildMs: null, isWholeSent: false, pauseMs: 1_000 },
    { members: 60_000, buildMs: 15, isWholeSent: false, pauseMs: 150 },
    { members: 60_000, buildMs: 15, isWholeSent: true, pauseMs: 1_000 },
    { members: 10_000, buildMs: 30, isWholeSent: false, pauseMs: 200 },
  ];
  for (const { pauseMs, ...cost } of cases) {
    assert.equal(publishPauseMs(cost), pauseMs, JSON.stringify(cost));
  }
});
