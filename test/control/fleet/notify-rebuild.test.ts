// Tests which failures to publish cause a notification: a table, and a control plane that loses its
// vault.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';

import type { Notification } from '../../../src/notifications/types.ts';
import {
  afterRebuildFailure,
  createRebuildNotices,
  noRebuildFailures,
} from '../../../src/control/notify-rebuild.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { testRef } from '../../harness/events/test-log.ts';
import { testPlane } from '../../harness/control/plane.ts';

type Failure = readonly [version: number, publishedVersion: number];

/** For each failure, `consecutive` if it is notified, else a dash. */
function notified(failures: readonly Failure[]): string {
  let state = noRebuildFailures;
  return failures
    .map(([version, publishedVersion]) => {
      const before = state;
      state = afterRebuildFailure(before, { version, publishedVersion });
      return state.notifiedVersion > before.notifiedVersion ? String(state.consecutive) : '-';
    })
    .join(' ');
}

describe('a failed rebuild', () => {
  for (const [what, failures, expected] of [
    ['is notified after a write', [[5, 4]], '1'],
    [
      'is not notified for the same version again',
      [
        [5, 4],
        [5, 4],
      ],
      '1 -',
    ],
    [
      'is notified for the next write, with the failures before counted',
      [
        [5, 4],
        [5, 4],
        [6, 4],
      ],
      '1 - 3',
    ],
    [
      'counts from one again after a successful publish',
      [
        [5, 4],
        [6, 5],
      ],
      '1 1',
    ],
    [
      'is not notified without a write',
      [
        [4, 4],
        [4, 4],
        [5, 4],
      ],
      '- - 3',
    ],
  ] as const) {
    it(what, () => assert.equal(notified(failures), expected));
  }
});

it('notifies of a failed publish with cause and process, once per version', async (t) => {
  const notices: Notification[] = [];
  const notify = (notice: Notification) => void notices.push(notice);
  const test = await testPlane(t, {
    onUnpublished: createRebuildNotices({ notify, replica: 'control-1' }),
  });
  await test.plane.db.query(sql`alter table vault.items rename to items_away`);
  // Without a verifier in the vault, the command itself needs no vault.
  await test.run({
    command: {
      type: 'CreateApiKey',
      name: 'k',
      principalId: principalId.parse(1),
      prefix: 'p',
      verifierRef: testRef(1),
      expiresAt: null,
    },
  });
  await test.plane.publisher.publish();
  assert.ok(test.failures.length >= 2);
  const [notice, ...more] = notices;
  assert.deepEqual(more, []);
  assert.ok(notice?.type === 'snapshot_rebuild_failed');
  assert.deepEqual([notice.data.replica, notice.data.consecutive], ['control-1', 1]);
  assert.match(notice.data.error, /vault\.items/);
});
