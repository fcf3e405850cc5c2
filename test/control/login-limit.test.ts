// The limit on failed logins.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createLoginLimit, failuresPerMinute } from '../../src/control/login-limit.ts';

const attempt = { name: 'ada', address: '192.0.2.1' };

it('after five failures a name is refused until a token is back', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.name; failed += 1) {
    assert.equal(limit.admit(attempt, 0), null);
  }
  assert.equal(limit.admit(attempt, 0)?.retryAfterSeconds, 12);
  assert.equal(limit.admit(attempt, 0)?.refused, 'too_many');
  assert.equal(limit.admit(attempt, 12_000), null);
});

it('an address is refused after twenty failures, whatever the names', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.address; failed += 1) {
    assert.equal(limit.admit({ ...attempt, name: `name-${failed}` }, 0), null);
  }
  assert.equal(limit.admit({ ...attempt, name: 'another' }, 0)?.refused, 'too_many');
  assert.equal(limit.admit({ name: 'another', address: '192.0.2.2' }, 0), null);
});

it('a right password is not counted', () => {
  const limit = createLoginLimit();
  for (let login = 0; login < 100; login += 1) {
    assert.equal(limit.admit(attempt, 0), null);
    limit.giveBack(attempt);
  }
});

it('a clock that goes back gives nothing and takes nothing', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.name; failed += 1) limit.admit(attempt, 60_000);
  assert.equal(limit.admit(attempt, 0)?.refused, 'too_many');
});
