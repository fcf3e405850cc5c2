// Which failures to publish are worth a notification, as a table.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { afterRebuildFailure, noRebuildFailures } from '../../src/control/notify-rebuild.ts';

type Failure = readonly [version: number, publishedVersion: number];

/** For each failure `consecutive` when it is notified, else a dash. */
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
    ['after a write is notified', [[5, 4]], '1'],
    [
      'of the same version again is not',
      [
        [5, 4],
        [5, 4],
      ],
      '1 -',
    ],
    [
      'of the next write is, with those before counted',
      [
        [5, 4],
        [5, 4],
        [6, 4],
      ],
      '1 - 3',
    ],
    [
      'after one that was published counts anew',
      [
        [5, 4],
        [6, 5],
      ],
      '1 1',
    ],
    [
      'without a write behind it diverges from nothing',
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
