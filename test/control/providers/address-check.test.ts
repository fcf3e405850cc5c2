// Tests whether a stored address could be dialled: it is checked as before a connection, and
// nothing is sent.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createAddressCheck } from '../../../src/control/providers/address-check.ts';
import { createEgress } from '../../../src/egress/egress.ts';

const open = createAddressCheck(createEgress({ allow: [], deny: [] }));

it('refuses forbidden addresses in any notation', async () => {
  for (const host of [
    '169.254.169.254',
    '2852039166',
    '[fe80::1]',
    '[::ffff:a9fe:a9fe]',
    '0.0.0.0',
  ]) {
    const refusal = await open(`http://${host}/mcp`);
    assert.equal(refusal?.refused, 'invalid', host);
  }
});

it('accepts allowed addresses', async () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.1.2.3']) {
    assert.equal(await open(`http://${host}:9/mcp`), null, host);
  }
});

it('resolves a name and checks each of its addresses', async () => {
  const deny = createEgress({ allow: [], deny: ['127.0.0.0/8', '::1'] });
  const refusal = await createAddressCheck(deny)('http://localhost/mcp');
  assert.match(refusal?.message ?? '', /of localhost is not an allowed egress destination/);
});

it('accepts a name that has no address now', async () => {
  assert.equal(await open('http://nowhere.invalid/mcp'), null);
});
