// Tests that the gateway of role all follows by deltas to what a whole snapshot gives.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { createOwnFollower } from '../../src/cli/roles/own-follower.ts';
import { toPublished } from '../../src/control/publishing/published.ts';
import { createLive } from '../../src/gateway/config/live.ts';
import { wholeOf } from '../../src/snapshot/paged.ts';
import { collectLog } from '../harness/gateway/gateway.ts';
import { deltaBetween } from '../harness/gateway/editions.ts';
import {
  arounds,
  compiledOf,
  editionsOf,
  lookupsOf,
  preludeLength,
  shortHistories,
} from '../harness/gateway/published-editions.ts';
import { runs } from '../harness/property-runs.ts';

it('serves at every version what a whole snapshot gives, also if it missed one', () => {
  fc.assert(
    fc.property(shortHistories, arounds, fc.nat(10), (commands, around, missed) => {
      const live = createLive({ log: collectLog([]), monotonic: () => 0 });
      const follow = createOwnFollower(live);
      const editions = editionsOf(commands, around).slice(preludeLength - 1);
      for (const [index, edition] of editions.entries()) {
        const before = editions[index - 1];
        const delta = before === undefined ? null : deltaBetween(before, edition);
        if (index === missed) continue;
        assert.equal(follow(toPublished(edition, delta)), undefined);
        const compiled = live.current();
        assert.ok(compiled);
        assert.equal(lookupsOf(compiled), lookupsOf(compiledOf(wholeOf(edition))));
      }
    }),
    runs(30),
  );
});
