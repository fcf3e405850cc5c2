// Holds that a save is made once, whatever becomes of its answer, and never over what nobody has seen.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { isUncertain, keyAfter, mayGoOnTop } from '../../../../ui/lib/saves/save-attempt.ts';

const keys = { key: 'first', fresh: () => 'second' };

it('an attempt whose answer was lost is repeated under its key; one that was refused is another', () => {
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

it('a change goes on top of another where it names what it is on, and is no list as a whole', () => {
  const found = { kind: 'changed', version: 7 };
  assert.equal(mayGoOnTop({}, found), true);
  assert.equal(mayGoOnTop({ sendsWhole: true }, found), false);
  assert.equal(mayGoOnTop({}, { ...found, version: undefined }), false);
  assert.equal(mayGoOnTop({}, { ...found, kind: 'deleted' }), false);
});
