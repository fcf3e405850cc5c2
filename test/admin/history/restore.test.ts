// Tests a restore over HTTP: preview, one mutation with a reason, and its reversal.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { diffStates } from '../../../projections/diff.ts';
import { eraseSuperseded } from '../../../src/control/vault/vault-upkeep.ts';
import { readyRestore } from '../../../src/control/history/restore.ts';
import { apiKeyId, modelId } from '../../../src/lib/ids.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { person } from '../../harness/control/plane.ts';

const previewSchema = z.object({
  dry_run: z.boolean(),
  event_count: z.int(),
  events: z.array(z.object({ stream: z.string(), type: z.string() })),
  difference_count: z.int(),
  conflicts: z.array(z.object({ entity: z.string(), needs: z.string().nullable() })),
  missing: z.array(z.object({ entity: z.string(), field: z.string(), reason: z.string() })),
});

const dayMs = 86_400_000;

async function started(t: TestContext) {
  const admin = await testAdministrator(t);
  const { ask, send, cookie, plane } = admin;
  const made = async (path: string, body: unknown): Promise<number> => {
    const answer = await send('POST', path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return Number(member(answer.body, 'id'));
  };
  const version = (): number => plane.store.state().version;
  const restore = (to: number, body: object, headers: Record<string, string> = {}) =>
    ask({ method: 'POST', path: `/admin/snapshots/${to}/restore`, cookie, body, headers });
  const restored = async (to: number, body: object = { reason: 'CHG-1' }) => {
    const answer = await restore(to, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { ...previewSchema.parse(answer.body), headers: answer.headers };
  };
  const stateAt = async (position: number) => {
    const state = await plane.past.at({ position }, 'version');
    assert.ok(!isRefusal(state));
    return state;
  };
  const provider = async (name: string, key = 'sk-upstream-secret') => {
    const { apiBase } = await listedProvider(t);
    return made('/admin/providers', { name, api_base: apiBase, upstream_api_key: key });
  };
  return { ...admin, made, version, restore, restored, stateAt, provider };
}

describe('a restore', () => {
  it('previews what it would do and does nothing', async (t) => {
    const { made, version, restored, send, plane } = await started(t);
    const model = await made('/admin/models', { name: 'a' });
    const then = version();
    await send('PATCH', `/admin/models/${model}`, { name: 'b' });
    await made('/admin/models', { name: 'c' });
    const before = plane.store.state();
    const preview = await restored(then, { dry_run: true });
    assert.equal(plane.store.state().position, before.position);
    assert.equal(preview.headers.get('etag'), `"${before.version}"`);
    assert.deepEqual(
      preview.events.map(({ stream, type }) => `${stream} ${type}`),
      ['model-1 ModelRenamed', 'model-2 ModelDeleted'],
    );
    assert.deepEqual([preview.difference_count, preview.conflicts, preview.missing], [2, [], []]);
  });

  it('restores a number above the current maximum, and keeps it when other fields change', async (t) => {
    const { made, version, restored, send, plane } = await started(t);
    const model = await made('/admin/models', { name: 'a' });
    const large = { contextLength: 2e9, inputPricePerMtok: 2e15, cacheTtlSeconds: 1e9 };
    const command = { type: 'UpdateModel', id: modelId.parse(model), fields: large } as const;
    assert.ok(!isRefusal(await plane.execute({ command }, person)));
    const then = version();
    const none = { context_length: null, input_price_per_mtok: null, cache_ttl_seconds: null };
    assert.equal((await send('PATCH', `/admin/models/${model}`, none)).status, 200);
    await restored(then);
    const changed = await send('PATCH', `/admin/models/${model}`, { description: 'b' });
    assert.equal(changed.status, 200);
    assert.equal(member(changed.body, 'context_length'), large.contextLength);
    assert.equal(member(changed.body, 'input_price_per_mtok'), large.inputPricePerMtok);
    assert.equal(member(changed.body, 'cache_ttl_seconds'), large.cacheTtlSeconds);
  });

  it('is one mutation with its reason and source version, and another restore undoes it exactly', async (t) => {
    const { made, version, restored, send, plane, stateAt, provider } = await started(t);
    const host = await provider('rack-1');
    const model = await made('/admin/models', { name: 'a' });
    await made('/admin/models/1/backends', { provider_id: host });
    const owner = await made('/admin/principals', { name: 'ci', kind: 'service_account' });
    await made('/admin/keys', { name: 'k', principal_id: owner });
    const then = version();
    await send('DELETE', `/admin/principals/${owner}`);
    await send('DELETE', `/admin/backends/${model}`);
    await send('DELETE', `/admin/providers/${host}`);
    await made('/admin/principals', { name: 'ci', kind: 'service_account' });
    const between = plane.store.state();
    const first = await restored(then, { reason: 'CHG-7: it was better before' });
    assert.deepEqual([first.dry_run, first.missing], [false, []]);
    assert.equal(first.headers.get('x-gw-snapshot-version'), String(version()));
    assert.deepEqual(diffStates(await stateAt(then), plane.store.state()), []);
    const [command] = z
      .array(z.object({ command: z.string(), reason: z.string(), event_count: z.int() }))
      .parse((await send('GET', '/admin/history/commands?limit=1')).body);
    assert.deepEqual(command, {
      command: 'RestoreSnapshot',
      reason: 'CHG-7: it was better before',
      event_count: first.event_count,
    });
    const events = await send('GET', `/admin/history/events?limit=${first.event_count}`);
    for (const event of z.array(z.unknown()).parse(events.body)) {
      assert.deepEqual(member(event, 'causation'), { position: then });
    }
    await restored(between.position);
    assert.deepEqual(diffStates(between, plane.store.state()), []);
  });

  it('restores the credential and the key that the vault still has, and keeps them there', async (t) => {
    const { made, version, restored, send, plane, provider } = await started(t);
    const host = await provider('rack-1');
    const owner = await made('/admin/principals', { name: 'ci', kind: 'service_account' });
    await made('/admin/keys', { name: 'k', principal_id: owner });
    const then = version();
    await send('DELETE', `/admin/principals/${owner}`);
    await send('DELETE', `/admin/providers/${host}`);
    await restored(then);
    const later = { plane, clock: () => Date.now() + 400 * dayMs, retentionDays: 30 };
    await eraseSuperseded(later);
    const { provider: providers, api_key: keys } = plane.store.state();
    const refs = [
      providers.byId.get(host)?.credential?.ref ?? '',
      ...[...keys.byId.values()].map(({ verifierRef }) => verifierRef),
    ];
    const plaintexts = await plane.vault.reveal(plane.db, refs);
    assert.deepEqual([plaintexts.size, plaintexts.get(refs[0] ?? '')], [2, 'sk-upstream-secret']);
  });

  it('lists erased, replaced and revoked data, and restores none of it', async (t) => {
    const { made, restored, send, plane, provider } = await started(t);
    const host = await provider('rack-1');
    const ci = await made('/admin/principals', { name: 'ci', kind: 'service_account' });
    const gone = await made('/admin/principals', { name: 'old', kind: 'service_account' });
    const kept = await made('/admin/keys', { name: 'k', principal_id: ci });
    const lost = await made('/admin/keys', { name: 'l', principal_id: gone });
    await send('PUT', `/admin/principals/${ci}/password`, { password: 'the first password' });
    // A password change creates no snapshot version, but its log position can be restored.
    const then = plane.store.state().position;
    await send('PUT', `/admin/principals/${ci}/password`, { password: 'the second password' });
    await send('DELETE', `/admin/keys/${kept}`);
    await send('DELETE', `/admin/principals/${gone}`);
    await send('DELETE', `/admin/providers/${host}`);
    await eraseSuperseded({ plane, clock: () => Date.now() + 400 * dayMs, retentionDays: 30 });
    const { missing } = await restored(then);
    assert.deepEqual(missing, [
      { entity: `provider-${host}`, field: 'credential', reason: 'erased' },
      { entity: `principal-${ci}`, field: 'password', reason: 'replaced' },
      { entity: `api_key-${kept}`, field: 'disabled', reason: 'revoked' },
      { entity: `api_key-${lost}`, field: 'verifier', reason: 'erased' },
    ]);
    const { api_key: keys, provider: providers } = plane.store.state();
    assert.deepEqual(
      [...keys.byId.values()].map(({ id, disabled }) => [Number(id), disabled]),
      [[kept, true]],
    );
    assert.equal(providers.byId.get(host)?.credential, null);
    const login = { name: 'ci', password: 'the second password' };
    assert.equal((await send('POST', '/login', login)).status, 200);
  });

  it('of single entities names their missing dependencies', async (t) => {
    const { made, version, restored, restore, send } = await started(t);
    const model = await made('/admin/models', { name: 'a' });
    const pool = await made('/admin/model-pools', { name: 'p', members: [{ model: 'a' }] });
    const then = version();
    await send('DELETE', `/admin/model-pools/${pool}`);
    await send('DELETE', `/admin/models/${model}`);
    const alone = await restore(then, { only: ['pool-1'], reason: 'why' });
    assert.deepEqual(errorOf(alone), [409, 'conflict', 'only']);
    const preview = await restored(then, { only: ['pool-1', 'pool-9'], dry_run: true });
    assert.deepEqual(preview.conflicts, [
      { entity: 'pool-9', needs: null },
      { entity: 'pool-1', needs: 'model-1' },
    ]);
    await restored(then, { only: ['model-1'], reason: 'why' });
    const { missing } = await restored(then, { only: ['pool-1'], reason: 'why' });
    assert.deepEqual(missing, []);
  });

  it('does not reactivate a key that is revoked in the same transaction', async (t) => {
    const { made, version, plane } = await started(t);
    const owner = await made('/admin/principals', { name: 'ci', kind: 'service_account' });
    await made('/admin/keys', { name: 'k', principal_id: owner });
    const then = version();
    const { reports: db, store, past, catchUp: refresh } = plane;
    const asked = { version: { position: then }, only: null, except: [] };
    const ready = await readyRestore({ db, state: store.state, past, refresh }, asked);
    assert.ok(!isRefusal(ready));
    const { command, precondition } = ready;
    const revoke = { type: 'RevokeApiKey', id: apiKeyId.parse(1) } as const;
    const [revoked, back] = await Promise.all([
      plane.execute({ command: revoke }, person),
      plane.execute({ command }, { ...person, precondition }),
    ]);
    assert.ok(!isRefusal(revoked));
    assert.ok(isRefusal(back) && back.refused === 'conflict');
    assert.equal(plane.store.state().api_key.byId.get(1)?.disabled, true);
  });

  it('with except leaves the named entities unchanged, in the preview and the result', async (t) => {
    const { made, version, restored, restore, send, plane } = await started(t);
    const [kept, other] = [
      await made('/admin/models', { name: 'a' }),
      await made('/admin/models', { name: 'b' }),
    ];
    const then = version();
    await send('PATCH', `/admin/models/${kept}`, { name: 'a now' });
    await send('PATCH', `/admin/models/${other}`, { name: 'b now' });
    const names = () => [...plane.store.state().model.byId.values()].map(({ name }) => name);
    const except = [`model-${kept}`];
    const preview = await restored(then, { except, dry_run: true });
    assert.deepEqual(
      preview.events.map(({ stream }) => stream),
      [`model-${other}`],
    );
    const both = await restore(then, { except, only: except, reason: 'x' });
    assert.deepEqual(errorOf(both), [400, 'invalid', 'except']);
    const unknown = await restore(then, { except: ['model-99'], reason: 'x' });
    assert.deepEqual(errorOf(unknown), [409, 'conflict', 'except']);
    assert.deepEqual(names(), ['a now', 'b now']);
    await restored(then, { except, reason: 'x' });
    assert.deepEqual(names(), ['a now', 'b']);
  });

  it('requires a reason, an existing version and a known kind, and supports If-Match and Idempotency-Key', async (t) => {
    const { made, version, restore, plane } = await started(t);
    await made('/admin/models', { name: 'a' });
    const then = version();
    await made('/admin/models', { name: 'b' });
    assert.deepEqual(errorOf(await restore(then, {})), [400, 'invalid', 'reason']);
    assert.deepEqual(errorOf(await restore(99_999, { reason: 'x' })), [404, 'absent', 'version']);
    const misnamed = await restore(then, { reason: 'x', only: ['planet-1'] });
    assert.deepEqual(errorOf(misnamed), [400, 'invalid', 'only.0']);
    const stale = await restore(then, { reason: 'x' }, { 'if-match': `"${then}"` });
    assert.deepEqual(errorOf(stale), [412, 'stale', 'if-match']);
    const current = { 'if-match': `"${version()}"`, 'idempotency-key': 'once' };
    const first = await restore(then, { reason: 'x' }, current);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const { position } = plane.store.state();
    const again = await restore(then, { reason: 'x' }, current);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal(plane.store.state().position, position);
  });

  it('leaves one audit row, and no secret in what it shows', async (t) => {
    const { version, restored, restore, send, plane, provider } = await started(t);
    const host = await provider('rack-1', 'sk-never-to-be-shown');
    const then = version();
    await send('DELETE', `/admin/providers/${host}`);
    const audited = async (): Promise<number> => {
      const [row]: { count: number }[] = await plane.db.query(
        sql`select count(*) as count from audit_log`,
      );
      return row?.count ?? -1;
    };
    const before = await audited();
    const preview = await restore(then, { dry_run: true });
    assert.doesNotMatch(JSON.stringify(preview.body), /sk-never/);
    await restored(then);
    assert.equal(await audited(), before + 1);
  });
});
