// Tests the archive in a bucket of a server of the S3 API that checks signatures and rights.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { createEgress } from '../../../src/egress/egress.ts';
import { s3Server } from '../../../test/harness/s3/server.ts';
import { bucketTarget } from '../target/bucket.ts';
import { claimPlace } from '../target/claim.ts';
import { verifyArchive } from '../verify.ts';
import { archived, begin, hourMs, nameIn, rowIn } from './archived.ts';

const open = createEgress({ allow: [], deny: [] });
const text = (words: string): Uint8Array => new TextEncoder().encode(words);

type Given = Readonly<{ url: string; accessKey: string; secretKey: string }>;

const options = ({ url, accessKey, secretKey }: Given) => ({
  place: "s3://archive/gw's/(prod)",
  endpoint: url,
  region: 'us-east-1',
  accessKey,
  secretKey,
  lockDays: null,
  dispatcher: open.dispatcher,
});

/** Reads a part of the body at a time, for longer in total than a client without progress waits. */
async function slowStore(t: Pick<TestContext, 'after'>) {
  const state = { received: 0 };
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      const parts = Math.floor(state.received / partBytes);
      state.received += chunk.length;
      if (Math.floor(state.received / partBytes) === parts) return;
      request.pause();
      setTimeout(() => request.resume(), partMs);
    });
    request.on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { url: `http://127.0.0.1:${address.port}`, received: () => state.received };
}
const partBytes = 2 * 1024 * 1024;
const partMs = 300;

describe('the archive in a bucket', () => {
  it('writes an object once, reads it, and locks it for the configured days', async (t) => {
    const server = await s3Server(t);
    const target = bucketTarget({ ...options(server), place: 's3://archive', lockDays: 400 });
    const name = nameIn(0, '0001.parquet');
    assert.equal(await target.read(name), null);
    assert.equal(await target.write(name, text('first')), true);
    assert.equal(await target.write(name, text('second')), false);
    assert.deepEqual(Buffer.from((await target.read(name)) ?? '').toString(), 'first');
    const { mode, until } = await server.lockOf(name);
    assert.equal(mode, 'COMPLIANCE');
    const days = (Date.parse(until ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 399.9 && days < 400.1, String(days));
  });

  it('is refused if the store ignores If-None-Match', async (t) => {
    const server = await s3Server(t);
    const target = bucketTarget(options(server));
    await claimPlace(target, 'log-1');
    await claimPlace(target, 'log-1');
    await server.replaceAlways();
    await assert.rejects(
      claimPlace(target, 'log-1'),
      /s3:\/\/archive\/gw's\/\(prod\) replaced _gw\.json .* ignores If-None-Match/,
    );
    await assert.rejects(claimPlace(target, 'log-2'), /belongs to event log log-1/);
  });

  it('waits for a slow store as long as it accepts data', async (t) => {
    const { url, received } = await slowStore(t);
    const keys = { accessKey: 'a', secretKey: 'b' };
    const target = bucketTarget({ ...options({ url, ...keys }), idleMs: 1_500 });
    const bytes = new Uint8Array(24 * 1024 * 1024);
    assert.equal(await target.write('a', bytes), true);
    assert.equal(received(), bytes.byteLength);
  });

  it('writes an object again over a damaged one', async (t) => {
    const server = await s3Server(t);
    const target = bucketTarget({ ...options(server), place: 's3://archive', lockDays: 400 });
    const name = nameIn(0, '0001.parquet');
    await target.write(name, text('first'));
    await server.change(name);
    await target.replace(name, text('first'));
    assert.equal(Buffer.from((await target.read(name)) ?? '').toString(), 'first');
  });

  it('names what the bucket refused, without the secret key', async (t) => {
    const server = await s3Server(t);
    const wrong = bucketTarget({ ...options(server), secretKey: 'not-the-secret' });
    await assert.rejects(wrong.write('a', text('x')), (error: Error) => {
      assert.match(
        error.message,
        /PUT s3:\/\/archive\/gw's\/\(prod\)\/a: the bucket answered 403 \w+/,
      );
      assert.equal(error.message.includes('not-the-secret'), false);
      return true;
    });
    const none = bucketTarget({ ...options(server), place: 's3://nowhere' });
    await assert.rejects(none.read('a'), /nowhere\/a: the bucket answered 404 NoSuchBucket/);
    const { dispatcher } = createEgress({ allow: ['10.0.0.0/8'], deny: [] });
    const refused = bucketTarget({ ...options(server), dispatcher });
    await assert.rejects(refused.read('a'), /not an allowed egress destination/);
  });

  it('archives, verifies, and names an object that another client replaced', async (t) => {
    const server = await s3Server(t);
    const { due, deliver, archiving, events } = await archived(t);
    const target = bucketTarget(options(server));
    await deliver(rowIn(0, 1), rowIn(0, 2), rowIn(1, 3));
    await due({ target });
    assert.equal((await events()).length, 2);
    const span = { since: new Date(begin), until: new Date(begin + 3 * hourMs) };
    const { rows, problems } = await verifyArchive({ ...archiving, target }, span);
    assert.deepEqual([rows, problems], [3, []]);
    const changed = nameIn(1, '0001.parquet');
    await server.change(`gw's/(prod)/${changed}`);
    const { problems: found } = await verifyArchive({ ...archiving, target }, span);
    assert.deepEqual(
      found.map(({ kind, file }) => [kind, file]),
      [['changed_file', changed]],
    );
  });
});
