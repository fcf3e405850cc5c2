// Tests that the watch reports each overdue item, while others are added and removed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { createWatch, unwatched } from '../../../src/gateway/transport/watch.ts';
import { until } from '../../harness/wait.ts';

const actions = fc.array(fc.record({ item: fc.nat(9), action: fc.constantFrom('add', 'remove') }), {
  maxLength: 60,
});

describe('the watch', () => {
  it('reports exactly the items that were added and not removed', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (steps) => {
        const watch = createWatch(1);
        const told: number[] = [];
        const items = Array.from({ length: 10 }, (_, id) => ({
          deadlineTick: -1,
          watchIndex: unwatched,
          onDeadline() {
            told.push(id);
            watch.remove(this);
          },
        }));
        const expected = new Set<number>();
        for (const { item, action } of steps) {
          const watched = items[item];
          assert.ok(watched !== undefined);
          watch[action](watched);
          if (action === 'add') expected.add(item);
          else expected.delete(item);
        }
        const tick = watch.tick;
        await until(() => watch.tick > tick, { what: 'a tick' });
        watch.stop();
        assert.deepEqual(new Set(told), expected);
        assert.equal(told.length, expected.size);
      }),
      { numRuns: 20 },
    );
  });
});
