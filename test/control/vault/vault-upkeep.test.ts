// Tests that items no longer referred to are erased once their retention is over, and nothing else.
// The log records it, and its chain stays valid.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';

import type { Mutation } from '../../../src/control/commands/execute.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import { eraseSuperseded } from '../../../src/control/vault/vault-upkeep.ts';
import { verifyLog } from '../../../src/control/log/verify-log.ts';
import { supersedeItems } from '../../../src/db/vault-retention.ts';
import { principalId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { member, testAdministrator } from '../../harness/admin/admin.ts';
import { person, testKey } from '../../harness/control/plane.ts';

const dayMs = 24 * 60 * 60 * 1000;
const retentionDays = 30;

type Item = Readonly<{ ref: string; class: string; subject: string; erased: boolean }>;

/**
 * A person with a password, an e-mail address and a key, a server with a credential, and a class
 * with two examples.
 */
async function keeping(t: TestContext) {
  const time = { now: Date.now() };
  const clock = (): number => time.now;
  const admin = await testAdministrator(t, { clock });
  const { plane, send } = admin;
  const person = { name: 'ada', kind: 'user', email: 'ada@old.example' };
  const id = String(member((await send('POST', '/admin/principals', person)).body, 'id'));
  await send('PUT', `/admin/principals/${id}/password`, { password: 'the first of two' });
  await send('POST', '/admin/keys', { name: 'k', principal_id: Number(id) });
  const server = { name: 's', url: 'https://s.example', upstream_api_key: 'old-secret' };
  await send('POST', '/admin/mcp-servers', server);
  await send('POST', '/admin/prompt-classes', { name: 'c', examples: ['one', 'two'] });
  return {
    ...admin,
    time,
    person: `/admin/principals/${id}`,
    run: () => eraseSuperseded({ plane, clock, retentionDays }),
    /** The same on another replica. */
    replica: async () => {
      const other = await openControlPlane({
        databaseUrl: admin.databaseUrl,
        encryptionKey: testKey,
        connectionsMax: 4,
        appVersion: 'test',
        clock,
        onFailure: (what, error) => assert.fail(`${what}: ${String(error)}`),
      });
      return {
        run: () => eraseSuperseded({ plane: other, clock, retentionDays }),
        close: other.close,
      };
    },
    /** Items by class: those of the given principal's stream, and the others of the tests. */
    items: async (): Promise<readonly Item[]> =>
      plane.db.query(sql`
        select ref, class, subject, body is null as erased from vault.items
        where class <> 'fingerprint_key' order by ref`),
  };
}

type Kept = Awaited<ReturnType<typeof keeping>>;

async function letGo({ send, person }: Kept): Promise<void> {
  await send('PUT', `${person}/password`, { password: 'the second of two' });
  await send('PATCH', person, { email: 'ada@new.example' });
  await send('PATCH', '/admin/mcp-servers/1', { upstream_api_key: 'new-secret' });
  await send('DELETE', '/admin/prompt-classes/1/examples/1');
}

const erasedOf = (items: readonly Item[]): readonly string[] =>
  items
    .filter(({ erased }) => erased)
    .map((item) => item.class)
    .toSorted();

describe('the vault', () => {
  it('erases replaced, cleared and removed items after their retention, not before', async (t) => {
    const kept = await keeping(t);
    await letGo(kept);
    kept.time.now += retentionDays * dayMs - 1_000;
    assert.equal(await kept.run(), 0);
    assert.deepEqual(erasedOf(await kept.items()), []);
    kept.time.now += 2_000;
    assert.equal(await kept.run(), 4);
    assert.deepEqual(erasedOf(await kept.items()), [
      'credential',
      'example',
      'password',
      'personal',
    ]);
  });

  it('keeps what is in use: logins, keys, credentials and names still work', async (t) => {
    const kept = await keeping(t);
    await letGo(kept);
    kept.time.now += 2 * retentionDays * dayMs;
    await kept.run();
    const cookie = { name: 'ada', password: 'the second of two' };
    const login = await kept.ask({ method: 'POST', path: '/login', body: cookie });
    assert.equal(login.status, 200);
    const left = (await kept.items()).filter(({ erased }) => !erased);
    const revealed = await kept.plane.vault.reveal(
      kept.plane.db,
      left.map(({ ref }) => ref),
    );
    assert.equal(revealed.size, left.length);
    const texts = new Set(revealed.values());
    for (const text of ['ada', 'ada@new.example', 'new-secret', 'two']) {
      assert.ok(texts.has(text), text);
    }
    for (const text of ['ada@old.example', 'old-secret', 'one']) assert.ok(!texts.has(text), text);
  });

  it('erases all items of a deleted principal except its name, which the audit log shows', async (t) => {
    const kept = await keeping(t);
    const before = await kept.items();
    await kept.send('DELETE', kept.person);
    kept.time.now += (retentionDays + 1) * dayMs;
    assert.equal(await kept.run(), 3);
    assert.deepEqual(erasedOf(await kept.items()), ['key_verifier', 'password', 'personal']);
    assert.equal((await kept.items()).length, before.length);
  });

  it('records the erasure once as an event with an audit row, and the log stays valid', async (t) => {
    const kept = await keeping(t);
    const { plane } = kept;
    await letGo(kept);
    kept.time.now += (retentionDays + 1) * dayMs;
    const { version } = plane.store.state();
    const other = await kept.replica();
    const [own, others] = await Promise.all([kept.run(), other.run()]);
    await other.close();
    assert.equal(own + others, 4);
    assert.equal(await kept.run(), 0);
    const events: { payload: { refs: string[] } }[] = await plane.db.query(
      sql`select payload from es.events where type = 'VaultItemsErased'`,
    );
    const refs = (await kept.items()).filter(({ erased }) => erased).map(({ ref }) => ref);
    assert.deepEqual(
      events.map(({ payload }) => payload.refs.toSorted()),
      [refs],
    );
    assert.equal(plane.store.state().version, version);
    const rows: unknown[] = await plane.db.query(
      sql`select actor_kind, action, target from audit_log where command = 'EraseVaultItems'`,
    );
    assert.deepEqual(rows, [{ actor_kind: 'system', action: 'ERASE', target: 'vault' }]);
    assert.deepEqual((await verifyLog(plane.db)).problems, []);
  });

  it('never erases an item that is referred to, even if it is marked', async (t) => {
    const kept = await keeping(t);
    const { plane } = kept;
    const credential = plane.store.state().mcp_server.byId.get(1)?.credential;
    assert.ok(credential);
    await supersedeItems(plane.db, [credential.ref], new Date(0));
    assert.equal(await kept.run(), 0);
    const rows: unknown[] = await plane.db.query(
      sql`select superseded_at from vault.items where ref = ${credential.ref}`,
    );
    assert.deepEqual(rows, [{ superseded_at: null }]);
  });

  it('has no content that an event says was erased, whichever program made the command', async (t) => {
    const { plane } = await keeping(t);
    const secret = { ref: randomUUID(), class: 'personal', plaintext: 'eve' } as const;
    const name = { text: null, ref: secret.ref, fingerprint: 'eve' };
    const run = async (mutation: Mutation): Promise<void> => {
      assert.ok(!isRefusal(await plane.execute(mutation, person)));
    };
    const create = { type: 'CreatePrincipal', name, kind: 'user', emailRef: null } as const;
    await run({ command: create, secrets: [secret] });
    const id = principalId.parse(plane.store.state().principal.lastId);
    await run({ command: { type: 'DeletePrincipal', id } });
    const item = { ref: secret.ref, subject: `principal-${id}`, kind: 'name' } as const;
    await run({ command: { type: 'EraseVaultItems', items: [item], principalId: id } });
    assert.deepEqual([...(await plane.vault.reveal(plane.db, [secret.ref]))], []);
    assert.deepEqual((await verifyLog(plane.db)).problems, []);
  });

  it('erases each of several successive passwords', async (t) => {
    const kept = await keeping(t);
    const passwords = ['one of three more', 'two of three more', 'three of three more'];
    await Promise.all(
      passwords.map((password) => kept.send('PUT', `${kept.person}/password`, { password })),
    );
    kept.time.now += (retentionDays + 1) * dayMs;
    assert.equal(await kept.run(), 3);
  });

  it('uses several events for many items', async (t) => {
    const kept = await keeping(t);
    const many = Array.from({ length: 200 }, (_, at) => `prompt ${at}`);
    for (const name of ['a', 'b', 'd']) {
      const made = await kept.send('POST', '/admin/prompt-classes', { name, examples: many });
      await kept.send('DELETE', `/admin/prompt-classes/${String(member(made.body, 'id'))}`);
    }
    kept.time.now += (retentionDays + 1) * dayMs;
    assert.equal(await kept.run(), 600);
    const events: unknown[] = await kept.plane.db.query(
      sql`select json_array_length(payload -> 'refs') as items from es.events
        where type = 'VaultItemsErased' order by position`,
    );
    assert.deepEqual(events, [{ items: 500 }, { items: 100 }]);
  });
});
