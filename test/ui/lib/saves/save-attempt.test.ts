// Tests that a change is saved only once, even if its response is lost, and never overwrites unseen
// changes.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { isUncertain, keyAfter, mayGoOnTop } from '../../../../ui/lib/saves/save-attempt.ts';

const keys = { key: 'first', fresh: () => 'second' };

it('an attempt without a response keeps its idempotency key; a refused one gets a new key', () => {
  const cases = [
    [{ status: 0, code: 'unreachable' }, 'first'],
    [{ status: 502, code: 'unknown' }, 'first'],
    [{ status: 503, code: 'unavailable' }, 'first'],
    [{ status: 0, code: 'invalid' }, 'second'],
    [{ status: 400, code: 'invalid' }, 'second'],
    [{ status: 409, code: 'conflict' }, 'second'],
    [{ status: 412, code: 'stale' }, 'second'],
  ] as const;
  for (const [failure, key] of cases) {
    assert.equal(keyAfter(failure, keys), key, JSON.stringify(failure));
    assert.equal(isUncertain(failure), key === 'first', JSON.stringify(failure));
  }
});

it('a change can be saved on top if it has a version and does not send a whole list', () => {
  const found = { kind: 'changed', version: 7 };
  assert.equal(mayGoOnTop({}, found), true);
  assert.equal(mayGoOnTop({ sendsWhole: true }, found), false);
  assert.equal(mayGoOnTop({}, { ...found, version: undefined }), false);
  assert.equal(mayGoOnTop({}, { ...found, kind: 'deleted' }), false);
});
