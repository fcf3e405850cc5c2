// Tests the history and the snapshots over HTTP: changes, reasons and replicas, without secrets.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { chainHash } from '../../../events/seal.ts';
import { insertServed } from '../../../src/db/snapshots-served.ts';
import { eraseItems } from '../../../src/db/vault-retention.ts';
import { errorOf, proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { healthOf } from '../../harness/gateway/health.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';

const commandsSchema = z.array(
  z.object({
    id: z.int(),
    actor_name: z.string().nullable(),
    command: z.string(),
    reason: z.string().nullable(),
    reason_erased: z.boolean(),
    event_count: z.int(),
    version_before: z.int(),
    version_after: z.int(),
  }),
);
const eventSchema = z.object({
  position: z.int(),
  stream: z.string(),
  type: z.string(),
  data: z.unknown(),
  hash: z.string(),
  leaf_hash: z.string(),
});
const diffSchema = z.object({
  total: z.int(),
  differences: z.array(
    z.object({
      kind: z.string(),
      id: z.int(),
      name: z.string().nullable(),
      change: z.string(),
      fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
    }),
  ),
});

async function started(t: TestContext) {
  const admin = await testAdministrator(t);
  const { ask, cookie, send, plane } = admin;
  const get = async (path: string): Promise<unknown> => {
    const answer = await send('GET', path);
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const because = (reason: string, method: string, path: string, body?: unknown) =>
    ask({ method, path, cookie, body, headers: { 'x-gw-reason': reason } });
  const position = (): number => plane.store.state().position;
  return { ...admin, get, because, position };
}

describe('the history of commands', () => {
  it('lists actor, change, reason and versions, newest first', async (t) => {
    const { get, because, send, position, plane } = await started(t);
    const before = plane.store.state().version;
    const first = position() + 1;
    await because('CHG-7: a reason', 'POST', '/admin/models', { name: 'm' });
    await send('PATCH', '/admin/models/1', { description: 'quiet' });
    const commands = commandsSchema.parse(await get(`/admin/history/commands?limit=2`));
    const [described, created] = commands;
    assert.deepEqual(
      [created?.actor_name, created?.command, created?.reason, created?.reason_erased],
      ['boss', 'CreateModel', 'CHG-7: a reason', false],
    );
    assert.deepEqual(
      [created?.version_before, created?.version_after, created?.event_count],
      [before, first, 1],
    );
    // A description is not part of the snapshot.
    assert.deepEqual(
      [described?.command, described?.reason, described?.version_before, described?.version_after],
      ['UpdateModel', null, first, first],
    );
  });

  it('is filtered by stream, actor and time, in either order, page by page', async (t) => {
    const { get, send } = await started(t);
    for (const name of ['a', 'b', 'c']) await send('POST', '/admin/models', { name });
    await send('PATCH', '/admin/models/2', { name: 'b2' });
    const names = async (query: string) =>
      commandsSchema.parse(await get(`/admin/history/commands?${query}`)).map((one) => one.id);
    const all = await names('order=asc');
    assert.deepEqual((await names('')).toReversed(), all);
    const walked: number[] = [];
    for (let page = await names('limit=2'); page.length > 0;) {
      walked.push(...page);
      page = await names(`limit=2&after=${walked.at(-1)}`);
    }
    assert.deepEqual(walked, all.toReversed());
    assert.deepEqual(await names('stream=model-2'), [all.at(-1), all.at(-3)]);
    assert.deepEqual(await names('actor=999'), []);
    assert.deepEqual(await names('to=1999-01-01T00:00:00Z'), []);
    assert.deepEqual(await names('from=1999-01-01T00:00:00Z&order=asc'), all);
    assert.deepEqual(await names('command=UpdateModel'), [all.at(-1)]);
    assert.deepEqual(await names('actor_kind=agent'), []);
    assert.equal((await names('actor_kind=session')).length, 4);
  });

  it('is filtered by the request that made them, as are events', async (t) => {
    const { get, ask, cookie } = await started(t);
    const made = { method: 'POST', path: '/admin/models', cookie, body: { name: 'a' } };
    const id = (await ask(made)).headers.get('x-request-id') ?? '';
    await ask({ ...made, body: { name: 'b' } });
    const found = async (list: string) =>
      z.array(z.object({ request_id: z.string() })).parse(await get(list));
    for (const list of ['commands', 'events']) {
      const rows = await found(`/admin/history/${list}?request_id=${id}`);
      assert.deepEqual(
        rows.map((one) => one.request_id),
        [id],
      );
    }
  });

  it('shows that a reason was erased, without its text', async (t) => {
    const { get, because, plane } = await started(t);
    await because('Ada is ill', 'POST', '/admin/models', { name: 'm' });
    const refs: { reason_ref: string }[] = await plane.db.query(sql`
      select reason_ref from audit_log where reason_ref is not null`);
    await eraseItems(
      plane.db,
      refs.map((row) => row.reason_ref),
      new Date(),
    );
    const [command] = commandsSchema.parse(await get('/admin/history/commands?limit=1'));
    assert.deepEqual([command?.reason, command?.reason_erased], [null, true]);
  });
});

describe('the history of events', () => {
  it('holds every event with the hashes of the chain', async (t) => {
    const { get, send, position } = await started(t);
    await send('POST', '/admin/models', { name: 'm' });
    const events = z
      .array(eventSchema)
      .parse(await get('/admin/history/events?order=asc&limit=1000'));
    assert.deepEqual(
      events.map((event) => event.position),
      Array.from({ length: position() }, (_, at) => at + 1),
    );
    for (const [at, event] of events.slice(1).entries()) {
      const [previous, leaf] = [events[at]?.hash ?? '', event.leaf_hash].map((hash) =>
        Buffer.from(hash, 'hex'),
      );
      const chained = chainHash(previous ?? Buffer.alloc(0), leaf ?? Buffer.alloc(0));
      assert.equal(Buffer.from(chained).toString('hex'), event.hash);
    }
    const last = events.at(-1);
    assert.deepEqual(last?.data, { id: 1, name: 'm', description: null });
    assert.equal(
      z.object({ hash: z.string() }).parse(await get('/admin/log/head')).hash,
      last.hash,
    );
  });

  it('is filtered by stream and type, and one event names its neighbours', async (t) => {
    const { get, send, position } = await started(t);
    await send('POST', '/admin/models', { name: 'm' });
    const created = position();
    await send('POST', '/admin/models', { name: 'n' });
    await send('PATCH', '/admin/models/1', { name: 'o' });
    const positions = async (query: string) =>
      z
        .array(eventSchema)
        .parse(await get(`/admin/history/events?${query}`))
        .map((event) => event.position);
    assert.deepEqual(await positions('stream=model-1'), [created + 2, created]);
    assert.deepEqual(await positions('type=ModelCreated&order=asc'), [created, created + 1]);
    assert.deepEqual(await positions('actor=999'), []);
    assert.deepEqual(await positions('actor_kind=agent'), []);
    const neighbours = z.object({
      previous_in_stream: z.int().nullable(),
      next_in_stream: z.int().nullable(),
      previous_hash: z.string().nullable(),
    });
    const event = neighbours.parse(await get(`/admin/history/events/${created}`));
    assert.deepEqual([event.previous_in_stream, event.next_in_stream], [null, created + 2]);
    const first = neighbours.parse(await get('/admin/history/events/1'));
    assert.equal(first.previous_hash, null);
    const beyond = await send('GET', `/admin/history/events/${created + 99}`);
    assert.deepEqual(errorOf(beyond), [404, 'absent', null]);
  });
});

it('every list links to its next page, and an unfiltered one has the total', async (t) => {
  const { send, position } = await started(t);
  for (const name of ['m', 'n', 'o']) await send('POST', '/admin/models', { name });
  const lists = [
    '/admin/audit',
    '/admin/history/commands',
    '/admin/history/events',
    '/admin/snapshots',
    '/admin/history/streams',
  ];
  for (const list of lists) {
    const isOrdered = !list.endsWith('streams');
    for (const order of isOrdered ? ['order=asc&', 'order=desc&'] : ['']) {
      const whole = await send('GET', `${list}?${order}limit=1000`);
      const rows = z.array(z.unknown()).parse(whole.body);
      const total = whole.headers.get('x-total-count');
      assert.deepEqual(total, isOrdered ? String(rows.length) : null, list);
      assert.equal(whole.headers.get('link'), null);
      const paged: unknown[] = [];
      let next: string | undefined = `${list}?${order}limit=4`;
      while (next !== undefined) {
        const { body, headers } = await send('GET', next);
        paged.push(...z.array(z.unknown()).parse(body));
        assert.equal(headers.get('x-total-count'), total);
        next = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
      }
      assert.deepEqual(paged, rows, `${list} ${order}`);
    }
  }
  const filtered = await send('GET', '/admin/history/events?type=ModelCreated&limit=2');
  assert.equal(filtered.headers.get('x-total-count'), null);
  const link = `/admin/history/events?limit=2&order=desc&type=ModelCreated&after=${position() - 1}`;
  assert.equal(filtered.headers.get('link'), `<${link}>; rel="next"`);
});

it('the streams of the log are listed by name and by a part of it, page by page', async (t) => {
  const { get, send, position } = await started(t);
  for (const name of ['m', 'n']) await send('POST', '/admin/models', { name });
  await send('PATCH', '/admin/models/1', { name: 'o' });
  const streams = z.array(
    z.object({ stream: z.string(), events: z.int(), last_position: z.int(), last_at: z.string() }),
  );
  const listed = async (query: string) =>
    streams.parse(await get(`/admin/history/streams?${query}`));
  const models = await listed('part=MODEL-');
  assert.deepEqual(
    models.map(({ stream, events, last_position: at }) => [stream, events, at]),
    [
      ['model-1', 2, position()],
      ['model-2', 1, position() - 1],
    ],
  );
  assert.deepEqual(await listed('part=model-&limit=1&after=model-1'), models.slice(1));
  const all = await listed('limit=1000');
  assert.equal(
    all.reduce((sum, { events }) => sum + events, 0),
    position(),
  );
});

describe('snapshot versions', () => {
  it('are listed with who made them and which replicas serve them', async (t) => {
    const { get, because, ask, position, plane } = await started(t);
    await because('CHG-9', 'POST', '/admin/models', { name: 'm' });
    const version = position();
    const reported = await ask({
      method: 'POST',
      path: '/health-report',
      token: proxyToken,
      body: healthOf('proxy-1', { version }),
    });
    assert.equal(reported.status, 204, JSON.stringify(reported.body));
    // A replica that no longer reports. Its row is kept.
    await insertServed(plane.db, {
      replica: 'proxy-0',
      version,
      position: version,
      hash: null,
      at: new Date('2026-11-20T12:00:00Z'),
    });
    const [newest, before] = z
      .array(
        z.object({
          version: z.int(),
          changed: z.array(z.string()),
          made_by: z.object({ reason: z.string().nullable() }),
          replicas: z.array(z.object({ replica: z.string() })),
          served_by: z.object({
            replicas: z.int(),
            first: z.array(z.object({ replica: z.string(), since: z.string() })),
          }),
        }),
      )
      .parse(await get('/admin/snapshots?limit=2'));
    assert.deepEqual(newest, {
      version,
      changed: ['model-1'],
      made_by: { reason: 'CHG-9' },
      replicas: [{ replica: 'proxy-1' }],
      served_by: {
        replicas: 2,
        first: [
          { replica: 'proxy-0', since: '2026-11-20T12:00:00.000Z' },
          { replica: 'proxy-1', since: newest?.served_by.first[1]?.since ?? '' },
        ],
      },
    });
    assert.deepEqual([before?.replicas, before?.served_by.replicas], [[], 0]);
    const versions = z.array(z.object({ version: z.int() }));
    const listed = async (query: string) =>
      versions.parse(await get(`/admin/snapshots?${query}`)).map((one) => one.version);
    const all = await listed('');
    assert.deepEqual(await listed('order=asc'), all.toReversed());
    assert.deepEqual(await listed(`order=asc&limit=1&after=${all[1]}`), all.slice(0, 1));
  });

  it('show the configuration and compare two, without secrets', async (t) => {
    const { get, send, position, plane } = await started(t);
    const { apiBase } = await listedProvider(t);
    const secret = 'sk-of-the-history-test';
    const created = await send('POST', '/admin/providers', {
      name: 'p',
      api_base: apiBase,
      upstream_api_key: secret,
    });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const first = position();
    const patched = await send('PATCH', '/admin/providers/1', {
      name: 'q',
      upstream_api_key: `${secret}-2`,
    });
    assert.equal(patched.status, 200, JSON.stringify(patched.body));
    await send('POST', '/admin/principals', { name: 'Ada', kind: 'user' });
    const path = `/admin/snapshots/${first}/diff/${position()}`;
    const diff = diffSchema.parse(await get(path));
    assert.equal(diff.total, 2);
    assert.deepEqual(
      diff.differences.map(({ kind, name, change }) => [kind, name, change]),
      [
        ['principal', 'Ada', 'created'],
        ['provider', 'q', 'changed'],
      ],
    );
    assert.deepEqual(
      diff.differences[1]?.fields.map(({ field, before, after }) => [field, before, after]),
      [
        ['name', 'p', 'q'],
        ['credential', 'set', 'changed'],
      ],
    );
    assert.equal(diffSchema.parse(await get(`${path}?limit=1&offset=1`)).differences.length, 1);
    assert.equal(diffSchema.parse(await get(`${path}?kind=provider`)).total, 1);

    const shown = JSON.stringify(await get(`/admin/snapshots/${first}`));
    assert.match(shown, /"name":"p"/);
    const refs: { ref: string }[] = await plane.db.query(sql`
      select ref from vault.items where class in ('credential', 'key_verifier', 'password')`);
    const history = JSON.stringify([
      diff,
      await get('/admin/snapshots'),
      await get('/admin/history/commands'),
    ]);
    for (const hidden of [secret, ...refs.map(({ ref }) => ref)]) {
      assert.ok(!shown.includes(hidden) && !history.includes(hidden), hidden);
    }
  });

  it('show where a request would have been routed', async (t) => {
    const { send, position } = await started(t);
    await send('POST', '/admin/models', { name: 'old' });
    const { apiBase } = await listedProvider(t);
    await send('POST', '/admin/providers', { name: 'p', api_base: apiBase, upstream_api_key: 's' });
    await send('POST', '/admin/models/1/backends', { provider_id: 1 });
    const then = position();
    await send('DELETE', '/admin/models/1');
    const ask = async (path: string) => {
      const { status, body } = await send('POST', path, { model: 'old' });
      assert.equal(status, 200, JSON.stringify(body));
      return z.object({ chain: z.array(z.object({ model: z.string() })) }).parse(body).chain;
    };
    assert.deepEqual(await ask(`/admin/snapshots/${then}/dry-run`), [{ model: 'old' }]);
    assert.deepEqual(await ask('/admin/routing/dry-run'), []);
    const beyond = await send('GET', '/admin/snapshots/99999');
    assert.deepEqual(errorOf(beyond), [404, 'absent', 'version']);
    const wrong = await send('GET', '/admin/snapshots/1/diff/soon');
    assert.deepEqual(errorOf(wrong), [400, 'invalid', 'to']);
  });
});
