// What proxies ask of the control plane, over HTTP (specification, "Control-plane protocol").

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { snapshot } from '../../src/snapshot/schema.ts';
import { errorOf, proxyToken, testAdministrator } from '../harness/admin.ts';

const token = proxyToken;

describe('the snapshot', () => {
  it('is the published one, with its ETag, and 304 to who holds it', async (t) => {
    const { ask, plane } = await testAdministrator(t);
    const answer = await ask({ path: '/snapshot', token });
    const { version, overlay } = snapshot.parse(answer.body);
    const etag = `"${version}.${overlay.seq}"`;
    assert.equal(answer.headers.get('etag'), etag);
    assert.deepEqual(answer.body, JSON.parse(String(plane.publisher.current()?.body())));
    const held = await ask({ path: '/snapshot', token, headers: { 'if-none-match': etag } });
    assert.deepEqual([held.status, held.body, held.headers.get('etag')], [304, null, etag]);
  });

  it('is answered as soon as a change is published to who waits for one', async (t) => {
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

  it('is not waited for by who holds none, and 304 when the time is over', async (t) => {
    const { ask } = await testAdministrator(t);
    const first = await ask({ path: '/snapshot?wait=30', token });
    assert.equal(first.status, 200);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    assert.equal((await ask({ path: '/snapshot?wait=1', token, headers })).status, 304);
    const tooLong = await ask({ path: '/snapshot?wait=31', token });
    assert.deepEqual(errorOf(tooLong), [400, 'invalid', 'wait']);
  });

  it('is never older than the asker has', async (t) => {
    const { ask, plane } = await testAdministrator(t);
    const version = plane.publisher.current()?.snapshot.version ?? 0;
    assert.equal((await ask({ path: `/snapshot?at_least=${version}`, token })).status, 200);
    const ahead = await ask({ path: `/snapshot?at_least=${version + 1}`, token });
    assert.deepEqual(errorOf(ahead), [503, 'unavailable', null]);
    assert.equal(ahead.headers.get('retry-after'), '1');
  });

  it('that is waited for does not hold the server open', async (t) => {
    const { ask, admin, url } = await testAdministrator(t);
    const etag = (await ask({ path: '/snapshot', token })).headers.get('etag') ?? '';
    const waiting = fetch(`${url}/snapshot?wait=30`, {
      headers: { authorization: `Bearer ${token}`, 'if-none-match': etag },
    });
    // The second request is answered after the first has come in.
    await ask({ path: '/healthz' });
    const startedAt = performance.now();
    assert.equal(await admin.close(20_000), 0);
    assert.equal((await waiting).status, 304);
    assert.ok(performance.now() - startedAt < 5_000);
  });
});

describe('health', () => {
  it('is open to all: alive, and ready once the log is read', async (t) => {
    const { ask } = await testAdministrator(t);
    assert.deepEqual((await ask({ path: '/healthz' })).body, { status: 'ok' });
    assert.deepEqual((await ask({ path: '/readyz' })).body, { status: 'ok' });
    assert.equal((await ask({ method: 'HEAD', path: '/healthz' })).status, 200);
  });
});
