// Tests a rotation of the encryption key: both keys open, the current one seals, and after
// resealing the vault the previous one is no longer needed.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { resealVault } from '../../../src/control/vault/reseal.ts';
import { keyId } from '../../../src/db/vault.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { endpointAt } from '../../harness/events/examples.ts';
import { testKey, testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const newKey = new Uint8Array(32).fill(8);
const both = { encryptionKey: newKey, previousKey: testKey };

async function addProviders(test: TestPlane, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) {
    const ref = randomUUID();
    const plaintext = `secret-${number}`;
    const fingerprint = test.plane.vault.fingerprint(plaintext);
    await test.run({
      command: {
        type: 'CreateProvider',
        name: `p${number}`,
        defaultName: 'p',
        kind: 'static',
        catalogueKey: null,
        endpoint: endpointAt(`https://p${number}.example/v1`),
        credential: { kind: 'static', ref, fingerprint },
      },
      secrets: [{ ref, class: 'credential', plaintext }],
    });
  }
}

const credentialsOf = ({ plane }: TestPlane): readonly unknown[] =>
  Object.values(plane.publisher.current()?.snapshot.secrets ?? {}).toSorted();

async function reseal({ plane }: TestPlane) {
  const report = await resealVault({ plane, keyId: keyId(newKey), newId: randomUUID });
  assert.ok(!isRefusal(report));
  return report;
}

async function sealedWith(test: TestPlane): Promise<readonly string[]> {
  const session = await test.session();
  const { rows } = await session.query<{ key_id: string }>(
    'select distinct key_id from vault.items order by key_id',
  );
  return rows.map((row) => row.key_id);
}

async function rotating(t: TestContext, count: number): Promise<TestPlane> {
  const old = await testPlane(t);
  await addProviders(old, count);
  return old.another(both);
}

describe('the rotation of a key', () => {
  it('opens what either key sealed, and seals with the current one', async (t) => {
    const test = await rotating(t, 1);
    assert.deepEqual(credentialsOf(test), ['secret-1']);
    assert.deepEqual(test.failures, []);
    assert.deepEqual(await sealedWith(test), [keyId(testKey)]);
    await test.run({ command: { type: 'SetFallbackModel', modelId: null } }, { reason: 'why' });
    assert.deepEqual(await sealedWith(test), [keyId(testKey), keyId(newKey)].toSorted());
  });

  it('keeps fingerprints of equal credentials equal', async (t) => {
    const old = await testPlane(t);
    const rotated = await old.another(both);
    assert.equal(rotated.plane.vault.fingerprint('x'), old.plane.vault.fingerprint('x'));
  });

  it('stops a control plane without the previous key, and names the missing key', async (t) => {
    const test = await rotating(t, 1);
    await test.run({ command: { type: 'SetFallbackModel', modelId: null } }, { reason: 'why' });
    await assert.rejects(test.another({ encryptionKey: newKey }), /was encrypted with key/);
  });
});

describe('resealing the vault', () => {
  it('rewrites everything in batches; then the previous key is not needed', async (t) => {
    const test = await rotating(t, 3);
    const { resealed, unreadable } = await reseal(test);
    // The credentials and the fingerprint key.
    assert.deepEqual([resealed, unreadable], [4, []]);
    assert.deepEqual(await sealedWith(test), [keyId(newKey)]);
    const alone = await test.another({ encryptionKey: newKey });
    assert.deepEqual(credentialsOf(alone), ['secret-1', 'secret-2', 'secret-3']);
  });

  it('does nothing when it is complete, and leaves no event', async (t) => {
    const test = await rotating(t, 1);
    await reseal(test);
    const { position } = test.plane.store.state();
    assert.equal((await reseal(test)).resealed, 0);
    assert.equal(test.plane.store.state().position, position);
  });

  it('continues after an interruption', async (t) => {
    const test = await rotating(t, 3);
    const { db, vault } = test.plane;
    const first = await vault.reseal(db, { after: null, limit: 2 });
    assert.equal(first.resealed, 2);
    await assert.rejects(test.another({ encryptionKey: newKey }), /(was|were) encrypted with key/);
    assert.equal((await reseal(test)).resealed, 2);
    assert.deepEqual(await sealedWith(test), [keyId(newKey)]);
  });

  it('leaves tampered items unchanged, and names them', async (t) => {
    const test = await rotating(t, 2);
    const session = await test.session();
    const { rows } = await session.query<{ ref: string }>(
      "update vault.items set subject = 'provider-9' where subject = 'provider-1' returning ref",
    );
    const { resealed, unreadable } = await reseal(test);
    assert.deepEqual(
      unreadable,
      rows.map(({ ref }) => ref),
    );
    assert.equal(resealed, 2);
  });

  it('is in the audit log, and creates no snapshot version', async (t) => {
    const test = await rotating(t, 1);
    const { version } = test.plane.store.state();
    await reseal(test);
    assert.equal(test.plane.store.state().version, version);
    const session = await test.session();
    const { rows } = await session.query<{ type: string; payload: unknown }>(
      'select type, payload from es.events order by position desc limit 1',
    );
    assert.deepEqual(rows, [
      { type: 'VaultResealed', payload: { key_id: keyId(newKey), items: 2 } },
    ]);
  });
});
