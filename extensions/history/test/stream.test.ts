// Tests the history stream: complete, ordered, resumable, bounded, and closed with its session.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readHead } from '../../../src/db/log/event-log.ts';
import { historyStreamsMax } from '../stream.ts';
import { followHistory } from '../follow-history.ts';
import { errorOf, member, testAdministrator } from '../../../test/harness/admin/admin.ts';
import { openStream, take } from '../../../test/harness/admin/event-stream.ts';
import { openRawClient } from '../../../test/harness/bytes/raw-client.ts';
import { until } from '../../../test/harness/wait.ts';

const positions = (events: readonly { id: string }[]): readonly number[] =>
  events.map(({ id }) => Number(id));
const range = (from: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => from + at);

describe('the stream of the history', () => {
  it('has every event once, in the order of the log, while others change the configuration', async (t) => {
    const { url, cookie, send, plane } = await testAdministrator(t);
    const response = await openStream({ url, cookie });
    const before = plane.store.state().position;
    const changing = Promise.all(
      range(0, 4).map(async (writer) => {
        for (const at of range(0, 30)) {
          const made = await send('POST', '/admin/provider-models', { name: `m-${writer}-${at}` });
          assert.equal(made.status, 200);
        }
      }),
    );
    const events = await take(response, before + 120);
    await changing;
    assert.deepEqual(positions(events), range(1, before + 120));
  });

  it('has CloudEvents whose data is the record of the history', async (t) => {
    const { url, cookie, send, plane } = await testAdministrator(t);
    await send('POST', '/admin/provider-models', { name: 'm' });
    const { logId, position } = await readHead(plane.reports);
    const [event] = await take(
      await openStream({ url, cookie, query: `?after=${position - 1}` }),
      1,
    );
    const { body: listed } = await send('GET', `/admin/history/events?limit=1`);
    const [record] = Array.isArray(listed) ? listed : [];
    assert.deepEqual(event, {
      specversion: '1.0',
      id: String(position),
      source: `urn:uuid:${logId}`,
      type: 'ModelCreated',
      subject: 'model-1',
      time: member(record, 'recorded_at'),
      datacontenttype: 'application/json',
      data: record,
    });
  });

  it('resumes after Last-Event-ID, which has priority over `after`', async (t) => {
    const { url, cookie, send, plane } = await testAdministrator(t);
    const held = plane.store.state().position;
    const seen: number[] = [];
    for (const at of range(0, 5)) {
      await send('POST', '/admin/provider-models', { name: `m${at}` });
      const lastEventId = String(seen.at(-1) ?? held);
      const resumed = await openStream({ url, cookie, query: '?after=1', lastEventId });
      seen.push(...positions(await take(resumed, 1)));
    }
    assert.deepEqual(seen, range(held + 1, 5));
  });

  it('refuses a position that is none, or that the log does not hold', async (t) => {
    const { ask, cookie, plane } = await testAdministrator(t);
    const path = '/admin/history/stream';
    const beyond = plane.store.state().position + 1;
    const asked = async (query: string, held?: string) =>
      errorOf(
        await ask({
          path: path + query,
          cookie,
          headers: held === undefined ? {} : { 'last-event-id': held },
        }),
      );
    assert.deepEqual(await asked('?after=-1'), [400, 'invalid', 'after']);
    assert.deepEqual(await asked(`?after=${beyond}`), [404, 'absent', 'after']);
    assert.deepEqual(await asked('', 'abc'), [400, 'invalid', 'last-event-id']);
    assert.deepEqual(await asked('', String(beyond)), [404, 'absent', 'last-event-id']);
  });

  it('is limited to a number of open streams, and frees a slot when a reader disconnects', async (t) => {
    const { url, ask, cookie } = await testAdministrator(t);
    const leaving = new AbortController();
    const open = () => openStream({ url, cookie, signal: leaving.signal });
    const held = await Promise.all(range(0, historyStreamsMax).map(open));
    assert.ok(held.every(({ status }) => status === 200));
    const asking = () => ask({ path: '/admin/history/stream', cookie });
    const refused = await asking();
    assert.deepEqual(errorOf(refused), [429, 'too_many', null]);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    leaving.abort();
    await until(async () => (await asking()).status === 200, {
      what: 'a place that is free again',
    });
  });

  it('asked for its head alone holds no place', async (t) => {
    const { ask, cookie } = await testAdministrator(t);
    for (const _ of range(0, historyStreamsMax + 1)) {
      const { status } = await ask({ method: 'HEAD', path: '/admin/history/stream', cookie });
      assert.equal(status, 200);
    }
    assert.equal((await ask({ path: '/admin/history/stream', cookie })).status, 200);
  });
});

describe('a stream of the history ends', () => {
  it('when its reader loses a role, before any later event', async (t) => {
    const { url, login, send, plane } = await testAdministrator(t);
    const cookie = await login('reader', ['admin']);
    const response = await openStream({ url, cookie });
    const { principal } = plane.store.state();
    const id = Math.max(...principal.byId.keys());
    const ended = take(response, Infinity);
    const revoked = await send('DELETE', `/admin/principals/${id}/roles/admin`);
    assert.ok(revoked.status < 300);
    const last = plane.store.state().position;
    await send('POST', '/admin/provider-models', { name: 'unseen' });
    assert.ok((await ended).every(({ data }) => data.position < last));
  });

  it('when its session is logged out', async (t) => {
    const { url, login, ask } = await testAdministrator(t);
    const cookie = await login('reader', ['admin']);
    const ended = take(await openStream({ url, cookie }), Infinity);
    const left = await ask({ method: 'POST', path: '/logout', cookie });
    assert.ok(left.status < 300);
    await ended;
  });

  it('when the listener closes, without being cut', async (t) => {
    const { url, cookie, admin } = await testAdministrator(t);
    const [first, rest] = (await openStream({ url, cookie })).body?.tee() ?? assert.fail();
    await first.getReader().read();
    const ended = new Response(rest).text();
    assert.equal(await admin.close(10_000), 0);
    assert.match(await ended, /^retry: /);
  });
});

it('no more than a page is read for a reader that takes nothing, and it misses nothing', async (t) => {
  const { url, cookie, send, plane } = await testAdministrator(t);
  const before = plane.store.state().position;
  const description = 'd'.repeat(500);
  for (const round of range(0, 3)) {
    const calls = range(0, 100).map((at) => ({
      method: 'POST',
      path: '/admin/provider-models',
      body: { name: `m-${round}-${at}`, description },
    }));
    const done = await send('POST', '/admin/change-sets/apply', { calls, reason: 'many' });
    assert.ok(done.status < 300, JSON.stringify(done.body));
  }
  const { position } = await readHead(plane.reports);
  let reads = 0;
  const held = followHistory(plane.reports, {
    after: before,
    mayGoOn: () => {
      reads += 1;
      return true;
    },
    news: () => Promise.resolve(),
  });
  const first = await held.next();
  assert.deepEqual([first.value?.length, reads], [100, 1]);
  await held.return();
  using client = openRawClient(
    url,
    `GET /admin/history/stream?after=${before} HTTP/1.1\r\nhost: x\r\ncookie: gw_session=${cookie}\r\n\r\n`,
  );
  client.socket.pause();
  await until(() => client.socket.readableLength > 0, { what: 'the first bytes' });
  client.socket.resume();
  await until(() => client.seen.text.includes(`id: ${position}\n`), { what: 'the last event' });
  const ids = [...client.seen.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  assert.deepEqual(ids, range(before + 1, position - before));
});
