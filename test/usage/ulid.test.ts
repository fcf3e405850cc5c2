// Ids are ULIDs: well-formed, sorted by time, unlike each other.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { createUlids } from '../../src/usage/ulid.ts';

describe('createUlids', () => {
  it('makes ids that sort by time and never repeat', () => {
    let nowMs = 1_700_000_000_000;
    const next = createUlids({ now: () => nowMs, randomBytes });
    const ids = Array.from({ length: 5000 }, () => {
      nowMs += 1;
      return next();
    });
    for (const id of ids) assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.deepEqual(ids.toSorted(), ids);
    nowMs += 1;
    assert.equal(new Set(Array.from({ length: 5000 }, next)).size, 5000);
  });

  it('encodes the time in its first ten characters', () => {
    const next = createUlids({ now: () => 1_469_918_176_385, randomBytes });
    assert.equal(next().slice(0, 10), '01ARYZ6S41');
  });
});
