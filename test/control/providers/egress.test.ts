// Tests where the program may dial: addresses are checked after resolution and connected to as
// checked.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';
import { request } from 'undici';

import { createEgress, EgressRefused } from '../../../src/egress/egress.ts';

const open = createEgress({ allow: [], deny: [] });

describe('addresses', () => {
  for (const address of [
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    'fe80::1',
    'fd00:ec2::254',
    'fd00:ec2::23',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
  ]) {
    it(`never dials ${address}, even when allowed`, () => {
      const allowing = createEgress({ allow: ['0.0.0.0/0', '::/0', 'host'], deny: [] });
      assert.ok(open.judge('host', address));
      assert.ok(allowing.judge('host', address));
    });
  }

  for (const address of [
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.0.9',
    'fd12::1',
    '8.8.8.8',
    // The answer of DNS64 for 8.8.8.8 in a network that reaches IPv4 by NAT64.
    '64:ff9b::808:808',
  ]) {
    it(`dials ${address} by default`, () => assert.equal(open.judge('host', address), null));
  }

  it('refuses every link-local IPv4 address in every notation of IPv6', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 255 }), (c, d) => {
        const low = ((c << 8) | d).toString(16);
        const prefixes = ['::ffff:', '::', '64:ff9b::'];
        for (const address of [
          `::ffff:169.254.${c}.${d}`,
          ...prefixes.map((one) => `${one}a9fe:${low}`),
        ]) {
          assert.ok(open.judge('host', address), address);
        }
      }),
    );
  });
});

describe('lists', () => {
  it('refuses a block, an address or a name by a deny entry', () => {
    const egress = createEgress({ allow: [], deny: ['10.0.0.0/8', '192.0.2.7', '*.internal'] });
    assert.ok(egress.judge('a.example', '10.9.9.9'));
    assert.ok(egress.judge('a.example', '64:ff9b::a09:909'));
    assert.ok(egress.judge('a.example', '::ffff:10.9.9.9'));
    assert.ok(egress.judge('a.example', '192.0.2.7'));
    assert.ok(egress.judge('db.INTERNAL', '8.8.8.8'));
    assert.ok(egress.judge('db.internal.', '8.8.8.8'));
    assert.equal(egress.judge('a.example', '8.8.8.8'), null);
  });

  it('refuses what an allow list does not name, and deny takes precedence', () => {
    const egress = createEgress({ allow: ['api.example', '10.0.0.0/8'], deny: ['10.0.0.1'] });
    assert.equal(egress.judge('api.example', '8.8.8.8'), null);
    assert.equal(egress.judge('other.example', '10.2.3.4'), null);
    assert.ok(egress.judge('other.example', '8.8.8.8'));
    assert.ok(egress.judge('other.example', '10.0.0.1'));
  });

  it('does not start with an unknown entry', () => {
    assert.throws(
      () => createEgress({ allow: [], deny: ['10.0.0.0/99!'] }),
      /10.0.0.0\/99! is invalid; use addresses/,
    );
  });
});

describe('connections', () => {
  it('is not bypassed by another notation of an address', async () => {
    for (const host of ['2852039166', '0xa9fea9fe', '[::ffff:a9fe:a9fe]', '169.254.43518']) {
      await assert.rejects(
        request(`http://${host}/`, { dispatcher: open.dispatcher }),
        (error: unknown) => error instanceof EgressRefused,
        host,
      );
    }
  });

  it('resolves and checks a name, and tries its addresses in turn', async () => {
    const server = createServer((_request, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = addressOf(server.address());
    try {
      const url = `http://localhost:${port}/`;
      const response = await request(url, { dispatcher: open.dispatcher });
      assert.equal(await response.body.text(), 'reached');
      const denying = createEgress({ allow: [], deny: ['127.0.0.0/8'] });
      await assert.rejects(
        request(url, { dispatcher: denying.dispatcher }),
        /is not an allowed egress destination/,
      );
    } finally {
      await open.dispatcher.close();
      server.close();
    }
  });
});

function addressOf(address: AddressInfo | string | null): AddressInfo {
  assert.ok(address !== null && typeof address === 'object');
  return address;
}
