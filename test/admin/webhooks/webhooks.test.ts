// Tests webhooks over HTTP, from the request to a real receiver that verifies signatures with the
// library of Standard Webhooks.

import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { createNotifier } from '../../../src/control/webhooks/notify.ts';
import { noSingleUrl } from '../../../src/control/webhooks/single-url.ts';
import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { backendDown } from '../../harness/control/outbox.ts';
import { startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script, SeenRequest } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const taken: Script = (_, response) => void response.writeHead(204).end();
const hourMs = 60 * 60 * 1000;

type Options = Parameters<typeof testAdministrator>[1];

async function started(t: TestContext, options: Options = {}) {
  const time = { now: Date.now() };
  const clock = (): number => time.now;
  const notifier = createNotifier({ singleUrl: noSingleUrl, clock, newId: randomUUID });
  const admin = await testAdministrator(t, { clock, notifier, ...options });
  const receiver = await startUpstream(taken);
  t.after(() => receiver[Symbol.asyncDispose]());
  const { send } = admin;
  const create = async (body: object = {}) => {
    const url = `${receiver.apiBase}/hook?key=hidden`;
    const answer = await send('POST', '/admin/webhooks', { name: 'alerts', url, ...body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { id: Number(member(answer.body, 'id')), secret: member(answer.body, 'secret') };
  };
  const deliveries = async (id: number) => {
    const { body } = await send('GET', `/admin/webhooks/${id}/deliveries`);
    assert.ok(Array.isArray(body));
    return body.map((row: Record<string, unknown>) => row);
  };
  /** Waits until the receiver has this number of requests. */
  const received = (count: number): Promise<readonly SeenRequest[]> =>
    until(
      async () => {
        await admin.admin.webhooks.run();
        return receiver.seen.length >= count && receiver.seen;
      },
      { what: `${count} deliveries` },
    );
  return { ...admin, time, notifier, receiver, create, deliveries, received };
}

/** Throws if the signature is not of this secret. */
const verify = (secret: unknown, { headers, body }: SeenRequest): unknown =>
  new Webhook(String(secret)).verify(body.toString('utf8'), {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });

describe('a webhook', () => {
  it('gets a signed notification that the library of Standard Webhooks accepts', async (t) => {
    const { create, notifier, received } = await started(t);
    const { secret } = await create();
    assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    notifier.notify(backendDown('modèle'));
    const [seen] = await received(1);
    assert.ok(seen);
    const verified = verify(secret, seen);
    assert.deepEqual(Object.keys(Object(verified)), ['id', 'type', 'timestamp', 'data']);
    assert.equal(member(verified, 'id'), seen.headers['webhook-id']);
    assert.equal(member(verified, 'type'), 'backend_down');
    assert.deepEqual(member(verified, 'data'), backendDown('modèle').data);
    assert.deepEqual([seen.method, seen.path], ['POST', '/v1/hook?key=hidden']);
    const hex = createHmac('sha256', String(secret)).update(seen.body).digest('hex');
    assert.equal(seen.headers['x-gw-signature'], `sha256=${hex}`);
    assert.throws(() => verify(`whsec_${'a'.repeat(43)}=`, seen), /No matching signature/);
  });

  it('is signed with the replaced secret too for 24 hours after a rotation', async (t) => {
    const { create, send, time, notifier, received } = await started(t);
    const { id, secret: first } = await create();
    const rotated = await send('POST', `/admin/webhooks/${id}/rotate`);
    const second = member(rotated.body, 'secret');
    assert.notEqual(second, first);
    notifier.notify(backendDown('m'));
    const [both] = await received(1);
    assert.ok(both);
    verify(first, both);
    verify(second, both);
    const hex = createHmac('sha256', String(second)).update(both.body).digest('hex');
    assert.equal(both.headers['x-gw-signature'], `sha256=${hex}`);
    const until = String(member(rotated.body, 'replaced_secret_expires_at'));
    assert.equal(Date.parse(until), time.now + 24 * hourMs);
    time.now += 24 * hourMs;
    notifier.notify(backendDown('m'));
    const [, later] = await received(2);
    assert.equal(String(later?.headers['webhook-signature']).split(' ').length, 1);
  });

  it('shows its address and secret nowhere after its creation', async (t) => {
    const { create, send, plane, notifier, receiver, deliveries, admin, warnings } =
      await started(t);
    const { id, secret } = await create();
    receiver.play((_, response) => void response.writeHead(500).end());
    notifier.notify(backendDown('m'));
    await admin.webhooks.run();
    await until(async () => (await deliveries(id))[0]?.['attempts'] === 1, { what: 'an attempt' });
    const hidden = new RegExp(`${String(secret).slice(6, 30).replaceAll('+', '\\+')}|key=hidden`);
    const pages = ['', `/${id}`, `/${id}/deliveries`].map((rest) => `/admin/webhooks${rest}`);
    for (const path of [...pages, '/admin/history/events', '/admin/audit']) {
      const { status, body } = await send('GET', path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(JSON.stringify(body), hidden, path);
    }
    const { sql } = plane.db;
    for (const statement of [
      sql`select payload::text from es.events`,
      sql`select to_jsonb(held)::text from op.webhook_deliveries held`,
      sql`select to_jsonb(held)::text from op.notifications held`,
    ]) {
      assert.doesNotMatch(JSON.stringify(await plane.db.query(statement)), hidden);
    }
    assert.doesNotMatch(JSON.stringify(warnings), hidden);
  });

  it('refuses an address that gw must not dial, and one with a user', async (t) => {
    const { send } = await started(t, { egress: { allow: [], deny: ['127.0.0.0/8'] } });
    for (const [url, message] of [
      ['http://127.0.0.1:9/hook', /url is refused: address 127\.0\.0\.1 .* not an allowed egress/],
      ['http://169.254.169.254/latest', /url is refused/],
      ['https://me:secret@alerts.example/', /url must not contain a user name or password/],
      ['ftp://alerts.example/', /url is not an http or https URL/],
      ['nonsense', /url is not a URL/],
    ] as const) {
      const answer = await send('POST', '/admin/webhooks', { name: 'w', url });
      assert.deepEqual(errorOf(answer), [400, 'invalid', 'url'], url);
      assert.match(JSON.stringify(answer.body), message);
    }
    assert.deepEqual(errorOf(await send('POST', '/admin/webhooks', { name: 'w' })), [
      400,
      'invalid',
      'url',
    ]);
  });

  it('is not dialled when its name resolves to a refused address later', async (t) => {
    let address = '127.0.0.1';
    const { create, notifier, receiver, deliveries, admin } = await started(t, {
      egress: { allow: [], deny: ['10.0.0.0/8'] },
      resolve: (_host, _options, callback) => callback(null, [{ address, family: 4 }]),
    });
    const { port } = new URL(receiver.apiBase);
    const { id } = await create({ url: `http://alerts.example:${port}/hook` });
    address = '10.0.0.1';
    notifier.notify(backendDown('m'));
    await admin.webhooks.run();
    const [refused] = await until(
      async () => {
        const rows = await deliveries(id);
        return rows[0]?.['attempts'] === 1 && rows;
      },
      { what: 'a refused attempt' },
    );
    assert.match(String(refused?.['error']), /10\.0\.0\.1 .* is not an allowed egress destination/);
    assert.equal(receiver.seen.length, 0);
  });

  it('gets only the types that it selects, and nothing while it is disabled', async (t) => {
    const { create, send, notifier, received, deliveries } = await started(t);
    const { id } = await create({ types: ['log_checkpoint'] });
    notifier.notify(backendDown('m'));
    notifier.notify({ type: 'log_checkpoint', data: { position: 1, checkpoint: 'note' } });
    const seen = await received(1);
    assert.deepEqual(
      seen.map(({ body }) => member(JSON.parse(String(body)), 'type')),
      ['log_checkpoint'],
    );
    await send('PATCH', `/admin/webhooks/${id}`, { enabled: false, types: null });
    notifier.notify(backendDown('m'));
    const test = await send('POST', `/admin/webhooks/${id}/test`);
    assert.deepEqual(errorOf(test), [409, 'conflict', null]);
    assert.equal((await deliveries(id)).length, 1);
    for (const types of [['no_such_type'], [], ['webhook_test']]) {
      const refused = await send('PATCH', `/admin/webhooks/${id}`, { types });
      assert.equal(refused.status, 400, JSON.stringify(types));
    }
  });
});

const idsOf = (rows: unknown): readonly unknown[] =>
  Array.isArray(rows) ? rows.map((row: unknown) => member(row, 'id')) : [];

describe('a delivery', () => {
  it('of a test shows its attempts, and is sent again with its id', async (t) => {
    const { create, send, deliveries, receiver, received } = await started(t);
    const { id } = await create({ types: ['log_alarm'] });
    receiver.play((_, response) => void response.writeHead(418).end());
    const queued = await send('POST', `/admin/webhooks/${id}/test`);
    assert.deepEqual(
      [member(queued.body, 'type'), member(queued.body, 'state'), member(queued.body, 'attempts')],
      ['webhook_test', 'pending', 0],
    );
    await received(1);
    const [failed] = await until(
      async () => {
        const rows = await deliveries(id);
        return rows[0]?.['attempts'] === 1 && rows;
      },
      { what: 'the failed attempt' },
    );
    assert.deepEqual(
      ['state', 'status', 'error'].map((name) => failed?.[name]),
      ['pending', 418, 'status 418'],
    );
    assert.notEqual(failed?.['next_attempt_at'], null);
    receiver.play(taken);
    const path = `/admin/webhooks/${id}/deliveries/${String(failed?.['id'])}/resend`;
    assert.equal((await send('POST', path)).status, 200);
    const seen = await received(2);
    assert.equal(seen[0]?.headers['webhook-id'], seen[1]?.headers['webhook-id']);
    await until(async () => (await deliveries(id))[0]?.['state'] === 'delivered', {
      what: 'the delivery to end',
    });
    const [ended] = await deliveries(id);
    assert.deepEqual(
      ['attempts', 'status', 'error', 'next_attempt_at'].map((name) => ended?.[name]),
      [2, 204, null, null],
    );
    const unknown = await send('POST', `/admin/webhooks/${id}/deliveries/999/resend`);
    assert.deepEqual(errorOf(unknown), [404, 'absent', null]);
  });

  it('is listed by state and page, newest first', async (t) => {
    const { create, notifier, received, send, deliveries } = await started(t);
    const { id } = await create();
    for (const model of ['a', 'b', 'c']) notifier.notify(backendDown(model));
    await received(3);
    await until(async () => (await deliveries(id)).every(({ state }) => state === 'delivered'), {
      what: 'three deliveries',
    });
    const path = `/admin/webhooks/${id}/deliveries`;
    const first = await send('GET', `${path}?limit=2&state=delivered`);
    assert.deepEqual(idsOf(first.body), [3, 2]);
    const next = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    assert.deepEqual(idsOf((await send('GET', next)).body), [1]);
    assert.deepEqual((await send('GET', `${path}?state=failed`)).body, []);
    assert.deepEqual(errorOf(await send('GET', '/admin/webhooks/9/deliveries')), [
      404,
      'absent',
      null,
    ]);
  });

  it('counts in the metrics by the id of its webhook, until that is deleted', async (t) => {
    const { create, send, notifier, receiver, admin, url, deliveries } = await started(t);
    const { id } = await create();
    receiver.play((_, response) => void response.writeHead(500).end());
    notifier.notify(backendDown('m'));
    await admin.webhooks.run();
    await until(async () => (await deliveries(id))[0]?.['attempts'] === 1, { what: 'an attempt' });
    await admin.webhooks.measure();
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const line of [
      'gw_webhook_pending{endpoint="1"} 1',
      'gw_webhook_dropped{endpoint="1"} 0',
      'gw_webhook_failed_attempts_total{endpoint="1"} 1',
      'gw_notifications_unstored_total 0',
    ]) {
      assert.ok(text.split('\n').includes(line), line);
    }
    await send('DELETE', `/admin/webhooks/${id}`);
    await admin.webhooks.run();
    await admin.webhooks.measure();
    assert.doesNotMatch(await (await fetch(`${url}/metrics`)).text(), /endpoint="1"/);
  });
});

describe('a webhook of another format', () => {
  it('sends Slack a text and blocks, with its markup escaped', async (t) => {
    const { create, notifier, received } = await started(t);
    assert.equal((await create({ format: 'slack' })).secret, null);
    notifier.notify(backendDown('<m> & n'));
    const [seen] = await received(1);
    const body: unknown = JSON.parse(String(seen?.body));
    assert.equal(seen?.headers['webhook-signature'], undefined);
    assert.match(String(member(body, 'text')), /^Backend down: Backend &lt;m&gt; &amp; n at /);
    const blocks = member(body, 'blocks');
    assert.ok(Array.isArray(blocks));
    assert.equal(blocks.length, 2);
  });

  it('opens and resolves an incident of PagerDuty', async (t) => {
    const { create, send, notifier, received } = await started(t);
    const key = 'R0UT1NGKEY0123456789ABCDEF012345';
    const refused = await send('POST', '/admin/webhooks', { name: 'p', format: 'pagerduty' });
    assert.deepEqual(errorOf(refused), [400, 'invalid', 'routing_key']);
    assert.equal((await create({ format: 'pagerduty', routing_key: key })).secret, null);
    notifier.notify(backendDown('m'));
    notifier.notify({ type: 'backend_recovered', data: backendDown('m').data });
    const events = (await received(2)).map(({ body }): unknown => JSON.parse(String(body)));
    assert.deepEqual(
      events.map((event) => [member(event, 'routing_key'), member(event, 'event_action')]),
      [
        [key, 'trigger'],
        [key, 'resolve'],
      ],
    );
    const [down, up] = events;
    assert.equal(member(down, 'dedup_key'), member(up, 'dedup_key'));
    const payload = member(down, 'payload');
    assert.deepEqual(
      ['severity', 'source', 'class'].map((name) => member(payload, name)),
      ['error', 'gw', 'backend_down'],
    );
  });
});
