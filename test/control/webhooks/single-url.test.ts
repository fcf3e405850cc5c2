// Tests `--webhook-url` at a real receiver: signed, once, in order, and counted when lost.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { createEgress } from '../../../src/egress/egress.ts';
import type { EgressLists } from '../../../src/egress/egress.ts';
import { createSingleUrl } from '../../../src/control/webhooks/single-url.ts';
import type { Notification } from '../../../src/notifications/types.ts';
import { startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');
const taken: Script = (_, response) => void response.writeHead(204).end();
const backend = (model: string) => ({ replica: 'r1', api_base: 'http://engine.test/v1', model });
const down = (model: string) => ({ type: 'backend_down', data: backend(model) }) as const;

type Given = Readonly<{ secret?: string; timeoutMs?: number; lists?: Partial<EgressLists> }>;

function testUrl(url: string, { secret, timeoutMs, lists }: Given = {}) {
  const warnings: unknown[] = [];
  const { dispatcher } = createEgress({ allow: [], deny: [], ...lists });
  let ids = 0;
  const single = createSingleUrl({
    url,
    secret: secret ?? null,
    dispatcher,
    log: { warn: (fields) => void warnings.push(fields['reason']) },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const ended = (count: number) =>
    until(
      () => {
        const { delivered, failed } = single.counts();
        return delivered + failed === count;
      },
      { what: `${count} attempts to end` },
    );
  return {
    ...single,
    notify: (notification: Notification) =>
      single.send({ ...notification, id: `id-${++ids}`, at: noon }),
    warnings,
    ended,
    [Symbol.asyncDispose]: async () => {
      await single.close();
      await dispatcher.destroy();
    },
  };
}

describe('a notification', () => {
  it('contains event and place in one flat object with an id and a time', async () => {
    await using receiver = await startUpstream(taken);
    await using notifier = testUrl(`${receiver.apiBase}/hook?team=a`);
    notifier.notify(down('m'));
    const failure = { replica: 'c1', error: 'x', consecutive: 2 };
    notifier.notify({ type: 'snapshot_rebuild_failed', data: failure });
    await notifier.ended(2);
    const [first, second] = receiver.seen;
    assert.deepEqual([first?.method, first?.path], ['POST', '/v1/hook?team=a']);
    assert.equal(first?.headers['content-type'], 'application/json');
    assert.equal(first?.headers['x-gw-signature'], undefined);
    const at = '2026-11-21T12:00:00.000Z';
    assert.deepEqual(JSON.parse(String(first?.body)), {
      id: 'id-1',
      at,
      event: 'backend_down',
      ...backend('m'),
    });
    assert.deepEqual(JSON.parse(String(second?.body)), {
      id: 'id-2',
      at,
      event: 'snapshot_rebuild_failed',
      ...failure,
    });
    assert.deepEqual(notifier.counts(), { delivered: 2, failed: 0, dropped: 0 });
  });

  it('signs the bytes of its body when there is a secret', async () => {
    await using receiver = await startUpstream(taken);
    await using notifier = testUrl(receiver.apiBase, { secret: 'geheim' });
    notifier.notify(down('modèle'));
    await notifier.ended(1);
    const [seen] = receiver.seen;
    const hex = createHmac('sha256', 'geheim')
      .update(seen?.body ?? '')
      .digest('hex');
    assert.equal(seen?.headers['x-gw-signature'], `sha256=${hex}`);
  });

  for (const [what, script, reason] of [
    ['is refused', (_, response) => void response.writeHead(500).end(), 'status 500'],
    [
      'is redirected',
      (_, response) => void response.writeHead(307, { location: '/' }).end(),
      'status 307',
    ],
    ['is disconnected', (_, response) => void response.socket?.destroy(), 'UND_ERR_SOCKET'],
  ] as const satisfies readonly (readonly [string, Script, string])[]) {
    it(`is not sent again when it ${what}`, async () => {
      await using receiver = await startUpstream(script);
      await using notifier = testUrl(receiver.apiBase);
      notifier.notify(down('a'));
      notifier.notify(down('b'));
      await notifier.ended(2);
      assert.deepEqual(
        receiver.seen.map(({ body }) => JSON.parse(String(body)).model),
        ['a', 'b'],
      );
      assert.deepEqual(notifier.warnings, [reason, reason]);
      assert.deepEqual(notifier.counts(), { delivered: 0, failed: 2, dropped: 0 });
    });
  }

  it('fails after a timeout, and the next one is sent', async () => {
    await using receiver = await startUpstream((request, response) => {
      if (request.body.includes('"quick"')) taken(request, response);
    });
    await using notifier = testUrl(receiver.apiBase, { timeoutMs: 1_000 });
    notifier.notify(down('slow'));
    notifier.notify(down('quick'));
    await notifier.ended(2);
    assert.deepEqual(notifier.counts(), { delivered: 1, failed: 1, dropped: 0 });
  });

  it('refuses an address that must not be dialled', async () => {
    await using receiver = await startUpstream(taken);
    await using guarded = testUrl(receiver.apiBase, { lists: { deny: ['127.0.0.0/8'] } });
    await using nobody = testUrl(await unusedApiBase());
    for (const { notify, ended, counts } of [guarded, nobody]) {
      notify(down('m'));
      await ended(1);
      assert.equal(counts().failed, 1);
    }
    assert.equal(receiver.seen.length, 0);
    assert.match(String(guarded.warnings[0]), /is not an allowed egress destination/);
    assert.deepEqual(nobody.warnings, ['ECONNREFUSED']);
  });
});

describe('the queue', () => {
  it('holds 64 in addition to the one in progress, and counts the rest as lost', async () => {
    const answering = Promise.withResolvers<void>();
    await using receiver = await startUpstream(
      (request, response) => void answering.promise.then(() => taken(request, response)),
    );
    await using notifier = testUrl(receiver.apiBase);
    for (let index = 0; index < 70; index++) notifier.notify(down(`m${index}`));
    assert.deepEqual(notifier.counts(), { delivered: 0, failed: 0, dropped: 5 });
    await until(() => receiver.seen.length === 1, { what: 'the first one' });
    answering.resolve();
    await notifier.ended(65);
    assert.deepEqual(notifier.counts(), { delivered: 65, failed: 0, dropped: 5 });
    const models = receiver.seen.map(({ body }) => JSON.parse(String(body)).model);
    assert.deepEqual(
      models,
      Array.from({ length: 65 }, (_, index) => `m${index}`),
    );
  });

  it('is dropped at the end, after the one in progress', async () => {
    await using receiver = await startUpstream(taken);
    await using notifier = testUrl(receiver.apiBase);
    for (const model of ['a', 'b', 'c']) notifier.notify(down(model));
    await notifier.close();
    assert.deepEqual(notifier.counts(), { delivered: 1, failed: 0, dropped: 2 });
    notifier.notify(down('d'));
    assert.equal(notifier.counts().dropped, 3);
    assert.equal(receiver.seen.length, 1);
  });
});
