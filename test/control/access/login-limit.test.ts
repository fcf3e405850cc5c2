// Tests the limit on failed logins.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  createLoginLimit,
  failuresPerMinute,
  turnMsMax,
} from '../../../src/control/access/login-limit.ts';
import type { LoginLimit } from '../../../src/control/access/login-limit.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

const attempt = { name: 'ada', address: '192.0.2.1' };

/** Milliseconds to wait, or the reason of the refusal. */
function answer(limit: LoginLimit, nowMs: number, change: Partial<typeof attempt> = {}) {
  const admitted = limit.admit({ ...attempt, ...change }, nowMs);
  return isRefusal(admitted) ? admitted.refused : admitted;
}

it('refuses a name at an address after five failures, until a token is refilled', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.nameAtAddress; failed += 1) {
    assert.equal(answer(limit, 0), 0);
  }
  const refused = limit.admit(attempt, 0);
  assert.ok(isRefusal(refused) && refused.refused === 'too_many');
  assert.equal(refused.retryAfterSeconds, 12);
  assert.equal(answer(limit, 12_000), 0);
});

it('does not lock a name out of other addresses after failures at one', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < 100; failed += 1) answer(limit, failed);
  assert.equal(answer(limit, 100), 'too_many');
  assert.equal(answer(limit, 100, { address: '192.0.2.2' }), 0);
});

/** An address in another IPv6 network for each number. */
const site = (number: number) => ({ address: `2001:db8:${number.toString(16)}::1` });

it('makes networks that fail with a name wait only for each other', () => {
  const limit = createLoginLimit();
  let nowMs = 0;
  const outcomes: unknown[] = [];
  for (let minute = 0; minute < 10; minute += 1) {
    for (let number = 0; number < 200; number += 1) {
      nowMs += 300;
      outcomes.push(answer(limit, nowMs, site(number)));
      assert.equal(answer(limit, nowMs), 0, `the owner, in minute ${minute}`);
      limit.giveBack(attempt);
    }
  }
  const settled = outcomes.slice(-200);
  const admitted = settled.filter((one) => one !== 'too_many');
  assert.ok(admitted.length <= failuresPerMinute.name + turnMsMax / 1_000, `${admitted.length}`);
  assert.ok(settled.includes(turnMsMax) || settled.includes('too_many'));
});

it('delays a network that mistypes a name at most twice an hour', () => {
  const limit = createLoginLimit();
  for (let number = 0; number < 100; number += 1) {
    for (let failed = 0; failed < 5; failed += 1) answer(limit, 0, site(number));
  }
  assert.equal(answer(limit, 0, site(0)), 'too_many');
  const minuteMs = 60_000;
  assert.deepEqual([answer(limit, minuteMs), answer(limit, minuteMs)], [0, 0]);
  assert.equal(answer(limit, minuteMs), 0, 'the third');
  assert.equal(typeof answer(limit, minuteMs), 'number', 'then as those that fail');
});

it('makes a name that fails from many networks wait for a turn, up to a maximum', () => {
  const limit = createLoginLimit();
  const { nameAtFirst } = failuresPerMinute;
  for (let number = 0; number < nameAtFirst; number += 1) {
    assert.equal(answer(limit, 0, site(number)), 0);
  }
  const turnMs = 60_000 / nameAtFirst;
  const waiting = Array.from({ length: turnMsMax / turnMs }, (_, place) =>
    answer(limit, 0, site(1_000 + place)),
  );
  assert.deepEqual(
    waiting,
    waiting.map((_, place) => (place + 1) * turnMs),
  );
  assert.equal(answer(limit, 0), 'too_many');
  assert.equal(answer(limit, turnMs), turnMsMax, 'one turn is over');
  assert.equal(answer(limit, 0, { name: 'grace' }), 0);
});

it('refuses an address after twenty failures with any names', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.address; failed += 1) {
    assert.equal(answer(limit, 0, { name: `name-${failed}` }), 0);
  }
  assert.equal(answer(limit, 0, { name: 'another' }), 'too_many');
  assert.equal(answer(limit, 0, { name: 'another', address: '192.0.2.2' }), 0);
});

it('counts an IPv6 /64 network as one address, and both forms of an IPv4 address as one', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.nameAtAddress; failed += 1) {
    assert.equal(answer(limit, 0, { address: `2001:db8:0:1::${failed}` }), 0);
    assert.equal(answer(limit, 0, { address: failed % 2 ? '192.0.2.7' : '::ffff:192.0.2.7' }), 0);
  }
  for (const address of ['2001:db8:0:1:ffff::9', '192.0.2.7', '::ffff:c000:207']) {
    assert.equal(answer(limit, 0, { address }), 'too_many', address);
  }
  assert.equal(answer(limit, 0, { address: '2001:db8:0:2::1' }), 0);
});

it('counts an unparseable address as an address of its own', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.nameAtAddress; failed += 1) {
    assert.equal(answer(limit, 0, { address: '' }), 0);
  }
  assert.equal(answer(limit, 0, { address: '' }), 'too_many');
  assert.equal(answer(limit, 0), 0);
});

it('does not count correct passwords', () => {
  const limit = createLoginLimit();
  for (let login = 0; login < 100; login += 1) {
    assert.equal(answer(limit, 0), 0);
    limit.giveBack(attempt);
  }
});

it('neither refills nor takes tokens when the clock goes back', () => {
  const limit = createLoginLimit();
  for (let failed = 0; failed < failuresPerMinute.nameAtAddress; failed += 1) answer(limit, 60_000);
  assert.equal(answer(limit, 0), 'too_many');
});
