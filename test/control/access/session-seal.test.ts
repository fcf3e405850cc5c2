// Tests the seal of a session row: it covers every field, and the previous key still verifies after
// a rotation.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createSessionSealer } from '../../../src/control/access/session-seal.ts';
import { principalId } from '../../../src/lib/ids.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const row = {
  tokenDigest: Buffer.alloc(32, 7),
  principalId: principalId.parse(2),
  credentialRef: '00000000-0000-4000-8000-000000000001',
  createdAt: new Date(1_000),
  expiresAt: new Date(2_000),
};

it('covers every field of the row', () => {
  const { seal, isSealed } = createSessionSealer(first);
  const changes = [
    { tokenDigest: Buffer.alloc(32, 8) },
    { principalId: principalId.parse(3) },
    { credentialRef: '00000000-0000-4000-8000-000000000002' },
    { createdAt: new Date(1_001) },
    { expiresAt: new Date(2_001) },
  ];
  assert.equal(isSealed(row, seal(row)), true);
  for (const change of changes) assert.equal(isSealed({ ...row, ...change }, seal(row)), false);
  assert.equal(isSealed(row, Buffer.alloc(0)), false);
});

it('verifies after a rotation only while the previous key is given', () => {
  const seal = createSessionSealer(first).seal(row);
  assert.equal(createSessionSealer(second, first).isSealed(row, seal), true);
  assert.equal(createSessionSealer(second).isSealed(row, seal), false);
  assert.notDeepEqual(createSessionSealer(second, first).seal(row), seal);
});
