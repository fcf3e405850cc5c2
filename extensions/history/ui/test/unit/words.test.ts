// Tests the check of the hash chain in the browser, and the texts about access.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { chainHash, digest, genesisHash } from '../../../../../events/seal.ts';
import { accessKey, grantedSince, grantorOf, waysText } from '../../access-words.ts';
import { checkLinks } from '../../chain.ts';

function chained(count: number) {
  let previous = genesisHash('a log');
  return Array.from({ length: count }, (_, index) => {
    const leaf = digest(`leaf ${index}`);
    previous = chainHash(previous, leaf);
    const [leaf_hash, hash] = [leaf, previous].map((bytes) => Buffer.from(bytes).toString('hex'));
    return { position: index + 1, leaf_hash: leaf_hash ?? '', hash: hash ?? '' };
  });
}

it('the chain that is sealed is the chain that is checked, in any order', () => {
  const links = chained(5);
  assert.deepEqual(checkLinks(links), { checked: 4, broken: null });
  assert.deepEqual(checkLinks(links.toReversed()), { checked: 4, broken: null });
  const gap = links.filter(({ position }) => position !== 3);
  assert.deepEqual(checkLinks(gap), { checked: 2, broken: null });
  assert.deepEqual(checkLinks([]), { checked: 0, broken: null });
});

it('an event that was altered breaks the chain where it stands', () => {
  const [first, second, third, ...rest] = chained(5);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const forged = { ...third, leaf_hash: second.leaf_hash };
  assert.deepEqual(checkLinks([first, second, forged, ...rest]), { checked: 1, broken: 3 });
});

const granted = (at: string) => ({ position: 4, at, actor_name: 'boss', actor_id: 1 });

it('access is granted since the later of role and permission, by the earliest way', () => {
  const way = (role: string, roleAt: string, permissionAt: string | null) => ({
    role,
    resource: 'model/*',
    role_granted: granted(roleAt),
    permission_granted: permissionAt === null ? null : granted(permissionAt),
  });
  const access = {
    principal_id: 3,
    model_id: 8,
    keys: [],
    via: [
      way('ops', '2026-03-01', '2026-05-01'),
      way('talkers', '2026-02-01', '2026-04-01'),
      way('old', '2026-01-01', null),
    ],
  };
  assert.equal(accessKey(access), '3.8');
  assert.equal(grantedSince(access), '2026-04-01');
  assert.equal(waysText(access), 'ops (model/*), talkers (model/*), old (model/*)');
  assert.deepEqual([grantorOf(granted('')), grantorOf(null)], ['boss', 'not in the log']);
});
