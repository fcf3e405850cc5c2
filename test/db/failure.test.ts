// Tests which error codes mean "retry": those of a database that is unreachable, overloaded or
// restarting.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { databaseFailure, isDatabaseUnavailable, sqlStateOf } from '../../src/db/failure.ts';

const coded = (code: string): Error => Object.assign(new Error('failed'), { code });

describe('the database is unavailable', () => {
  const cases: readonly [string, readonly string[]][] = [
    ['when the connection breaks', ['08006', '08003', 'ECONNRESET', 'EPIPE']],
    ['when it cannot be reached', ['ECONNREFUSED', 'ENOENT', 'ETIMEDOUT', 'ENOTFOUND']],
    ['when the server stops, starts or crashed', ['57P01', '57P02', '57P03']],
    ['when a lock or a statement takes too long', ['55P03', '57014']],
    ['when it has no room for one more', ['53300', '53100']],
    ['when it is the standby of a failover', ['25006']],
    ['when it ends a transaction that idles or lasts too long', ['25P03', '25P04']],
  ];
  for (const [when, codes] of cases) {
    it(when, () => {
      for (const code of codes) assert.equal(isDatabaseUnavailable(coded(code)), true, code);
    });
  }

  it('when only a standby is left, which refuses sessions that write', () => {
    const refused = Object.assign(coded('0A000'), { severity: 'FATAL' });
    assert.match(databaseFailure(refused)?.remedy ?? '', /promote a standby/);
    const unsupported = Object.assign(coded('0A000'), { severity: 'ERROR' });
    assert.equal(isDatabaseUnavailable(unsupported), false);
  });

  it('also when that is the cause of what failed', () => {
    const error = new Error('reading the head', { cause: coded('57P01') });
    assert.equal(isDatabaseUnavailable(error), true);
  });
});

describe('the database is not unavailable', () => {
  it('when a statement or a rule of ours is wrong', () => {
    for (const code of ['23505', '42501', '42P01', 'ES001', 'ES003', '22021', '08P01']) {
      assert.equal(isDatabaseUnavailable(coded(code)), false, code);
    }
  });

  it('when something else failed', () => {
    for (const error of [
      new Error('no'),
      new TypeError('connection'),
      'timeout',
      null,
      undefined,
    ]) {
      assert.equal(isDatabaseUnavailable(error), false);
    }
  });
});

describe('the message for an unavailable database', () => {
  const cases: readonly [string, RegExp, RegExp | null][] = [
    ['53100', /^the database is full \(SQLSTATE 53100\)$/, /free space/],
    ['25006', /^the database is read-only \(SQLSTATE 25006\)$/, /connect gw to the primary/],
    ['53300', /accepts no more connections/, /max_connections/],
    ['53200', /out of resources/, /the log of the database server/],
    ['57P01', /^the database is unreachable or overloaded$/, null],
    ['ECONNREFUSED', /^the database is unreachable or overloaded$/, null],
  ];
  for (const [code, says, remedy] of cases) {
    it(`names what an operator can do about ${code}`, () => {
      const failure = databaseFailure(new Error('outer', { cause: coded(code) }));
      assert.equal(failure?.code, code);
      assert.match(failure.says, says);
      if (remedy === null) assert.equal(failure.remedy, null);
      else assert.match(failure.remedy ?? '', remedy);
    });
  }
});

describe('the SQLSTATE of an error', () => {
  for (const code of ['53100', 'P0001', 'XX000', '25P02', '2BP01', 'HV00B']) {
    it(`is ${code}, also of what it caused`, () => {
      assert.equal(sqlStateOf(new Error('outer', { cause: coded(code) })), code);
    });
  }

  it('is not the number of an error of the operating system, or of the pool', () => {
    for (const code of ['EPIPE', 'EPERM', 'ECONNRESET', 'CONNECTION_POOL:QUEUE_TIMEOUT']) {
      assert.equal(sqlStateOf(coded(code)), null, code);
    }
  });
});
