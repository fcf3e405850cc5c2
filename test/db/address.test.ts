// Tests how the address of the database is read, also if it names several servers.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { addressesOf, readAddress } from '../../src/db/connections/address.ts';

const writable = '-c transaction_read_only=off';
const encoded = encodeURIComponent(writable);

describe('an address with several servers', () => {
  const url = 'postgres://gw:a%40b@one:5433,%2Frun%2Fpg,three/db?sslmode=disable';

  it('names each of them with its port', () => {
    const { hosts, user, password, database } = readAddress(
      'postgres://gw:a%40b@one:5433,%2Frun%2Fpg:5434,three/db?sslmode=disable',
    );
    assert.deepEqual(hosts, [
      { host: 'one', port: 5433 },
      { host: '/run/pg', port: 5434 },
      { host: 'three', port: undefined },
    ]);
    assert.deepEqual({ user, password, database }, { user: 'gw', password: 'a@b', database: 'db' });
  });

  it('becomes one address for each server, with a setting that standbys refuse', () => {
    assert.deepEqual(
      addressesOf(url),
      ['one:5433', '%2Frun%2Fpg', 'three'].map(
        (server) => `postgres://gw:a%40b@${server}/db?sslmode=disable&options=${encoded}`,
      ),
    );
  });

  it('keeps the startup options that it already has', () => {
    const own = 'postgres://gw@one,two/db?options=-c%20work_mem%3D8MB';
    assert.equal(readAddress(own).options, `-c work_mem=8MB ${writable}`);
    const [first] = addressesOf(own);
    assert.equal(
      new URL(first ?? '').searchParams.getAll('options').at(-1),
      readAddress(own).options,
    );
  });
});

describe('an address with one server', () => {
  it('is used as it is', () => {
    const url = 'postgres://gw@one/db?sslmode=disable';
    assert.deepEqual(addressesOf(url), [url]);
    assert.equal(readAddress(url).options, undefined);
  });

  it('can ask for a server that accepts writes', () => {
    const url = 'postgres://gw@one/db?target_session_attrs=read-write';
    assert.equal(readAddress(url).options, writable);
    assert.deepEqual(addressesOf(url), [`${url}&options=${encoded}`]);
  });
});

describe('TLS of the database', () => {
  const cases: readonly [string, unknown][] = [
    ['', { allowFallback: true, connectionOptions: { rejectUnauthorized: false } }],
    ['?sslmode=prefer', { allowFallback: true, connectionOptions: { rejectUnauthorized: false } }],
    [
      '?sslmode=require',
      { allowFallback: false, connectionOptions: { rejectUnauthorized: false } },
    ],
    ['?sslmode=disable', null],
  ];
  for (const [query, expected] of cases) {
    it(`follows ${query === '' ? 'no sslmode' : query}`, () => {
      assert.deepEqual(readAddress(`postgres://gw@one/db${query}`).ssl, expected);
    });
  }

  it('verifies the server if a file with the root certificate is given', () => {
    const file = encodeURIComponent(import.meta.filename);
    const { ssl } = readAddress(`postgres://gw@one/db?sslmode=verify-full&sslrootcert=${file}`);
    assert.equal(ssl?.connectionOptions.rejectUnauthorized, undefined);
    assert.match(ssl?.connectionOptions.ca ?? '', /^\/\/ Tests how the address/);
  });
});

it('does not repeat an address that it cannot read, because it may hold a password', () => {
  for (const url of ['postgres://gw:secret@one:x/db', 'postgres://gw:secret@/db?host=one,two']) {
    assert.throws(() => readAddress(url), {
      message: '--database-url (GW_DATABASE_URL) is not a valid address',
    });
  }
});
