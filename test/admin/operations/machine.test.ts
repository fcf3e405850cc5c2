// Tests the control-plane protocol over HTTP (specification, "Control-plane protocol").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

import { request } from 'undici';

import { openControlPlane } from '../../../src/control/plane.ts';
import { createControlClient } from '../../../src/gateway/control-link/client.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { inOneGo } from '../../../src/lib/steps.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import { baseHeader } from '../../../src/snapshot/delta/delta.ts';
import { followerSteps, readDelta } from '../../../src/snapshot/delta/follower.ts';
import type { Follower, Read } from '../../../src/snapshot/delta/follower.ts';
import { snapshot } from '../../../src/snapshot/schema.ts';
import { errorOf, member, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { person, testKey } from '../../harness/control/plane.ts';

const token = proxyToken;

describe('the snapshot', () => {
  it('is returned with its ETag, and as 304 to a caller that has it', async (t) => {
    const { ask, plane } = await testAdministrator(t);
    const answer = await ask({ path: '/snapshot', token });
    const { version, overlay, config_hash: hash } = snapshot.parse(answer.body);
    const etag = `"${version}.${overlay.seq}.${hash.slice(0, 16)}"`;
    assert.equal(answer.headers.get('etag'), etag);
    assert.deepEqual(answer.body, plane.publisher.current()?.snapshot);
    const held = await ask({ path: '/snapshot', token, headers: { 'if-none-match': etag } });
    assert.deepEqual([held.status, held.body, held.headers.get('etag')], [304, null, etag]);
    for (const tags of [`"other", ${etag}`, `W/${etag}`, '*']) {
      const listed = await ask({ path: '/snapshot', token, headers: { 'if-none-match': tags } });
      assert.equal(listed.status, 304, tags);
    }
  });

  it('is returned to a waiting caller as soon as a change is published', async (t) => {
    const { ask, send } = await testAdministrator(t);
    const etag = (await ask({ path: '/snapshot', token })).headers.get('etag') ?? '';
    const headers = { 'if-none-match': etag };
    const startedAt = performance.now();
    const waiting = ask({ path: '/snapshot?wait=30', token, headers });
    const made = await send('POST', '/admin/models', { name: 'small' });
    const news = await waiting;
    assert.equal(news.status, 200);
    assert.equal(
      String(snapshot.parse(news.body).version),
      made.headers.get('x-gw-snapshot-version'),
    );
    assert.ok(performance.now() - startedAt < 10_000);
  });

  it('is returned at once to a caller without one, and as 304 after the wait', async (t) => {
    const { ask } = await testAdministrator(t);
    const first = await ask({ path: '/snapshot?wait=30', token });
    assert.equal(first.status, 200);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    assert.equal((await ask({ path: '/snapshot?wait=1', token, headers })).status, 304);
    const tooLong = await ask({ path: '/snapshot?wait=31', token });
    assert.deepEqual(errorOf(tooLong), [400, 'invalid', 'wait']);
  });

  it('of a log that was restored from an older copy is returned, and marked as older', async (t) => {
    const { ask, plane } = await testAdministrator(t);
    const version = plane.publisher.current()?.snapshot.version ?? 0;
    const ahead = await ask({ path: `/snapshot?at_least=${version + 1}`, token });
    assert.equal(ahead.status, 200);
    assert.equal(member(ahead.body, 'version'), version);
  });

  it('is read up to the head of the log before a caller gets an older one than it has', async (t) => {
    const { ask, databaseUrl } = await testAdministrator(t);
    const other = await openControlPlane({
      databaseUrl,
      encryptionKey: testKey,
      connectionsMax: 2,
      appVersion: 'test',
      clock: Date.now,
      onFailure: () => undefined,
    });
    t.after(other.close);
    const command = { type: 'CreateModel', name: 'small', fields: {} } as const;
    const made = await other.execute({ command }, person);
    assert.ok(!isRefusal(made));
    const { version } = made;
    const answer = await ask({ path: `/snapshot?at_least=${version}`, token });
    assert.equal(member(answer.body, 'version'), version);
  });

  it('does not delay the close of the server while callers wait for it', async (t) => {
    const { ask, admin, url } = await testAdministrator(t);
    const etag = (await ask({ path: '/snapshot', token })).headers.get('etag') ?? '';
    const waiting = fetch(`${url}/snapshot?wait=30`, {
      headers: { authorization: `Bearer ${token}`, 'if-none-match': etag },
    });
    // The second request is answered only after the first has arrived.
    await ask({ path: '/healthz' });
    const startedAt = performance.now();
    assert.equal(await admin.close(20_000), 0);
    assert.equal((await waiting).status, 304);
    assert.ok(performance.now() - startedAt < 5_000);
  });
});

describe('a delta', () => {
  it('is returned to a caller that names a recent snapshot, and gives the newest', async (t) => {
    const { send, url, plane } = await testAdministrator(t);
    const get = clientOf(t, url);
    const first = await get({});
    const follower = followerOf(first.body);
    assert.equal(follower.root(), first.root);
    for (const name of ['small', 'large']) await send('POST', '/admin/models', { name });
    const answer = await get({ [baseHeader]: first.root ?? '' });
    assert.equal(answer.isDelta, true);
    const applied = follower.apply(readOf(answer.body));
    assert.ok(!isRefusal(applied));
    assert.deepEqual([...applied.models.keys()], ['small', 'large']);
    assert.equal(follower.root(), plane.publisher.current()?.root);
    assert.equal(answer.root, follower.root());
  });

  it('is never returned to a caller that names none, or one that is not known', async (t) => {
    const { send, url } = await testAdministrator(t);
    const get = clientOf(t, url);
    await send('POST', '/admin/models', { name: 'small' });
    for (const headers of [{}, { [baseHeader]: 'f'.repeat(64) }]) {
      const { isDelta, body } = await get(headers);
      assert.equal(isDelta, false);
      assert.ok(snapshot.safeParse(JSON.parse(body.toString())).success);
    }
  });

  it('and a whole snapshot are compressed in a coding that the caller accepts', async (t) => {
    const { url, send } = await testAdministrator(t);
    for (const name of ['a', 'b', 'c', 'd']) await send('POST', '/admin/models', { name });
    const raw = async (coding: string) => {
      const headers = { authorization: `Bearer ${token}`, 'accept-encoding': coding };
      const answer = await request(`${url}/snapshot`, { headers });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return { coding: answer.headers['content-encoding'], bytes };
    };
    const plain = await raw('identity');
    assert.equal(plain.coding, undefined);
    const zstd = await raw('gzip, zstd');
    assert.equal(zstd.coding, 'zstd');
    assert.deepEqual(zstdDecompressSync(zstd.bytes), plain.bytes);
    const gzip = await raw('gzip, zstd;q=0');
    assert.equal(gzip.coding, 'gzip');
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    assert.deepEqual((await clientOf(t, url)({})).body, plain.bytes);
  });
});

function clientOf(t: TestContext, controlUrl: string) {
  const client = createControlClient({ controlUrl, proxyToken: token, caBundle: [] });
  t.after(client.close);
  return (headers: Readonly<Record<string, string>>) =>
    client.get('/snapshot', { headers, signal: t.signal, waitMs: 0 });
}

function readOf(body: Buffer): Read {
  const read = readDelta(JSON.parse(body.toString()));
  assert.ok(!isRefusal(read));
  return read;
}

function followerOf(body: Buffer): Follower {
  const received: unknown = JSON.parse(body.toString());
  const whole = snapshot.parse(received);
  const compiled = compileSnapshot(whole);
  assert.ok(!isRefusal(compiled));
  return inOneGo(followerSteps({ received, snapshot: whole, compiled }));
}

describe('health', () => {
  it('requires no credential: alive, and ready once the log is read', async (t) => {
    const { ask } = await testAdministrator(t);
    assert.deepEqual((await ask({ path: '/healthz' })).body, { status: 'ok' });
    assert.deepEqual((await ask({ path: '/readyz' })).body, { status: 'ok' });
    assert.equal((await ask({ method: 'HEAD', path: '/healthz' })).status, 200);
  });

  it('is not ready once the process was asked to stop, although it still serves', async (t) => {
    let isLeaving = false;
    const { ask } = await testAdministrator(t, {
      program: {
        role: 'control',
        version: 'test',
        settings: [],
        uptimeSeconds: () => 1,
        isLeaving: () => isLeaving,
        backends: () => [],
      },
    });
    assert.equal((await ask({ path: '/readyz' })).status, 200);
    isLeaving = true;
    assert.equal((await ask({ path: '/readyz' })).status, 503);
    assert.equal((await ask({ path: '/healthz' })).status, 200);
  });
});
