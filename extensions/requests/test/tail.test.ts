// Tests the live view of requests: complete for every control plane, filtered, resumable, bounded, and closed with its session.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  errorOf,
  member,
  testAdmin,
  testAdministrator,
} from '../../../test/harness/admin/admin.ts';
import {
  framesOf,
  openStreamAt,
  takeFrames as take,
} from '../../../test/harness/admin/event-stream.ts';
import type { Frame } from '../../../test/harness/admin/event-stream.ts';
import { reported, reportUsage } from '../../../test/harness/admin/usage.ts';
import { testDatabase } from '../../../test/harness/postgres/postgres.ts';
import { until } from '../../../test/harness/wait.ts';
import { arrivalsMax, tailsMax } from '../tail.ts';

const path = '/admin/usage/tail';
const now = (): string => new Date().toISOString();

const openTail = (asked: Parameters<typeof openStreamAt>[1]) => openStreamAt(path, asked);

const idsOf = (frames: readonly Frame[]): readonly string[] =>
  frames.map(({ data }) => String(member(data, 'id')));

async function started(...[test, options]: Parameters<typeof testAdministrator>) {
  const server = await testAdministrator(test, options);
  await server.send('POST', '/admin/models', { name: 'small' });
  return server;
}

describe('the live view of requests', () => {
  it('has each request once as it is recorded, in the form of the list', async (t) => {
    const server = await started(t);
    const taking = take(await openTail(server), 40);
    const events = Array.from({ length: 40 }, (_, number) => reported(number, { at: now() }));
    for (let done = 0; done < 40; done += 10) {
      await reportUsage(server, events.slice(done, done + 10));
    }
    const frames = await taking;
    assert.deepEqual(idsOf(frames).toSorted(), events.map(({ id }) => id).toSorted());
    const { body } = await server.send('GET', `/admin/usage/events?id=${events[7]?.id}`);
    assert.ok(Array.isArray(body));
    const [row] = body;
    assert.deepEqual(frames.find((one) => member(one.data, 'id') === events[7]?.id)?.data, row);
  });

  it('has requests that another control plane recorded', async (t) => {
    const database = await testDatabase();
    const shared = { ...database, drop: () => Promise.resolve() };
    const one = await started(t, { database: shared });
    const other = await testAdmin(t, { database: shared });
    t.after(database.drop);
    const taking = take(await openTail(one), 1);
    await reportUsage(other, [reported(1, { at: now() })]);
    assert.deepEqual(idsOf(await taking), [reported(1).id]);
  });

  it('has only what its filter selects', async (t) => {
    const server = await started(t);
    const taking = take(await openTail({ ...server, query: '?outcome=failed&status=5xx' }), 1);
    await reportUsage(server, [
      reported(1, { at: now() }),
      reported(2, { at: now(), status: 503 }),
      reported(3, { at: now(), status: 429 }),
    ]);
    assert.deepEqual(idsOf(await taking), [reported(2).id]);
  });

  it('resumes after Last-Event-ID without a gap', async (t) => {
    const server = await started(t);
    const first = take(await openTail(server), 1);
    await reportUsage(server, [reported(1, { at: now() })]);
    const [seen] = await first;
    await reportUsage(server, [reported(2, { at: now() })]);
    const resumed = framesOf(await openTail({ ...server, lastEventId: seen?.id ?? '' }));
    for await (const { data } of resumed) {
      if (member(data, 'id') === reported(2).id) break;
    }
  });

  it('sends keep-alives while nothing is recorded', async (t) => {
    const server = await started(t);
    let keepAlives = 0;
    for await (const { event } of framesOf(await openTail(server))) {
      assert.equal(event, 'keep-alive');
      keepAlives += 1;
      if (keepAlives === 2) break;
    }
  });

  it('says that it skipped requests if too many arrive at once', async (t) => {
    const server = await started(t);
    const response = await openTail(server);
    const frames: Frame[] = [];
    const reading = (async () => {
      for await (const frame of framesOf(response)) {
        frames.push(frame);
        if (frame.event === 'skipped') break;
      }
    })();
    await until(() => frames.length > 0, { what: 'a keep-alive after the first read' });
    const many = Array.from({ length: arrivalsMax + 100 }, (_, number) =>
      reported(number, { at: now() }),
    );
    await reportUsage(server, many);
    await reading;
  });

  it('refuses an unknown Last-Event-ID, a range, and a filter that is invalid', async (t) => {
    const { ask, cookie } = await testAdministrator(t);
    const asked = async (query: string, held?: string) =>
      errorOf(
        await ask({
          path: path + query,
          cookie,
          headers: held === undefined ? {} : { 'last-event-id': held },
        }),
      );
    assert.deepEqual(await asked('', 'abc'), [400, 'invalid', 'last-event-id']);
    assert.deepEqual(await asked(`?since=${now()}`), [400, 'invalid', 'since']);
    assert.deepEqual(await asked('?status=9'), [400, 'invalid', 'status']);
  });

  it('is limited to a number of open streams, and frees a slot when a reader disconnects', async (t) => {
    const { url, ask, cookie } = await testAdministrator(t);
    const leaving = new AbortController();
    const held = await Promise.all(
      Array.from({ length: tailsMax }, () => openTail({ url, cookie, signal: leaving.signal })),
    );
    assert.ok(held.every(({ status }) => status === 200));
    const asking = () => ask({ path, cookie });
    const refused = await asking();
    assert.deepEqual(errorOf(refused), [429, 'too_many', null]);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    leaving.abort();
    await until(async () => (await asking()).status === 200, { what: 'a free slot' });
  });
});

describe('a live view of requests ends', () => {
  it('when its session is logged out', async (t) => {
    const { url, login, ask } = await testAdministrator(t);
    const cookie = await login('reader', ['admin']);
    const ended = take(await openTail({ url, cookie }), Infinity);
    const left = await ask({ method: 'POST', path: '/logout', cookie });
    assert.ok(left.status < 300);
    assert.deepEqual(await ended, []);
  });

  it('when its reader loses the permission, before any later request', async (t) => {
    const server = await started(t);
    const cookie = await server.login('reader', ['admin']);
    const id = Math.max(...server.plane.store.state().principal.byId.keys());
    const ended = take(await openTail({ url: server.url, cookie }), Infinity);
    const revoked = await server.send('DELETE', `/admin/principals/${id}/roles/admin`);
    assert.ok(revoked.status < 300);
    await reportUsage(server, [reported(1, { at: now() })]);
    assert.deepEqual(await ended, []);
  });

  it('when the listener closes, without being cut', async (t) => {
    const { url, cookie, admin } = await testAdministrator(t);
    const [first, rest] = (await openTail({ url, cookie })).body?.tee() ?? assert.fail();
    await first.getReader().read();
    const ended = new Response(rest).text();
    assert.equal(await admin.close(10_000), 0);
    assert.match(await ended, /^retry: /);
  });
});
