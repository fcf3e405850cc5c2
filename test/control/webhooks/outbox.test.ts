// Tests the outbox of webhooks on a real database and real receivers: at least once, in order, by
// one control plane at a time.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import { deleteExpired } from '../../../src/db/webhooks/deliveries.ts';
import { insertNotifications, routeNotifications } from '../../../src/db/webhooks/notifications.ts';
import { retryDelayMs } from '../../../src/control/webhooks/deliver.ts';
import { retryMs, turnMs } from '../../../src/control/webhooks/outbox.ts';
import { noSingleUrl } from '../../../src/control/webhooks/single-url.ts';
import type { Queued } from '../../../src/notifications/payloads.ts';
import { arrived, backendDown, endpointAt, testOutboxes } from '../../harness/control/outbox.ts';
import { startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

const taken: Script = (_, response) => void response.writeHead(204).end();
const broken: Script = (_, response) => void response.writeHead(503).end();
const silent: Script = () => {};
const minuteMs = 60_000;

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

describe('an endpoint', () => {
  it('that is down for an hour gets everything afterwards, in order and once by id', async (t) => {
    await using receiver = await startUpstream(broken);
    const { time, replica, deliveries } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const { notifier, runWhole } = replica();
    for (let minute = 0; minute < 60; minute++) {
      notifier.notify(backendDown(`m${minute}`));
      await runWhole();
      time.now += minuteMs;
    }
    assert.deepEqual(new Set(arrived(receiver.seen).map(({ model }) => model)), new Set(['m0']));
    receiver.play(taken);
    receiver.seen.length = 0;
    time.now += 15 * minuteMs;
    await runWhole();
    const seen = arrived(receiver.seen);
    assert.deepEqual(
      seen.map(({ model }) => model),
      names(60),
    );
    assert.equal(new Set(seen.map(({ id }) => id)).size, 60);
    const ended = await deliveries();
    assert.ok(ended.every(({ state, status }) => state === 'delivered' && status === 204));
    assert.deepEqual(
      ended.map(({ notification_id: id }) => id).toReversed(),
      seen.map(({ id }) => id),
    );
  });

  it('gets the same id with each retry, and the time of the attempt', async (t) => {
    await using receiver = await startUpstream(broken);
    const { time, replica, deliveries } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const { notifier, runWhole, warnings, failures } = replica();
    notifier.notify(backendDown('m'));
    await runWhole();
    await runWhole();
    assert.equal(receiver.seen.length, 1);
    time.now += 5_000;
    await runWhole();
    const [first, second] = receiver.seen.map(({ headers, body }) => ({
      id: headers['webhook-id'],
      at: Number(headers['webhook-timestamp']),
      body: String(body),
    }));
    assert.equal(first?.id, second?.id);
    assert.equal(first?.body, second?.body);
    assert.equal((second?.at ?? 0) - (first?.at ?? 0), 5);
    const [one] = await deliveries();
    assert.deepEqual([one?.state, one?.attempts, one?.status], ['pending', 2, 503]);
    assert.deepEqual([one?.error, failures().get(1)], ['status 503', 2]);
    assert.deepEqual(warnings, [{ endpoint: 1, delivery: one?.id, reason: 'status 503' }]);
  });

  it('that fails for 24 hours loses that notification and gets the next one', async (t) => {
    await using receiver = await startUpstream(({ body }, response) => {
      response.writeHead(String(body).includes('"poison"') ? 400 : 204).end();
    });
    const { time, replica, deliveries } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const { notifier, runWhole } = replica();
    notifier.notify(backendDown('poison'));
    notifier.notify(backendDown('next'));
    await runWhole();
    time.now += retryMs - 1;
    await runWhole();
    assert.deepEqual(
      (await deliveries()).map(({ state }) => state),
      ['pending', 'pending'],
    );
    time.now += 15 * minuteMs;
    await runWhole();
    assert.deepEqual(
      (await deliveries()).map(({ state, attempts }) => [state, attempts]),
      [
        ['delivered', 1],
        ['failed', 3],
      ],
    );
  });

  it('that does not answer delays no other endpoint', async (t) => {
    await using slow = await startUpstream(silent);
    await using quick = await startUpstream(taken);
    const endpoints = [endpointAt(1, slow.apiBase), endpointAt(2, quick.apiBase)];
    const { replica } = await testOutboxes(t, endpoints);
    const { notifier, run } = replica({ timeoutMs: 20_000 });
    for (const model of names(20)) notifier.notify(backendDown(model));
    await run();
    await until(() => quick.seen.length === 20, { what: 'all at the quick one', limitMs: 15_000 });
    assert.equal(slow.seen.length, 1);
    notifier.notify(backendDown('later'));
    await until(
      async () => {
        await run();
        return quick.seen.length === 21;
      },
      { what: 'a later one at the quick one', limitMs: 15_000 },
    );
    assert.equal(slow.seen.length, 1);
  });

  it('that is disabled gets what was queued before when it is enabled again', async (t) => {
    await using receiver = await startUpstream(broken);
    const endpoint = endpointAt(1, receiver.apiBase);
    const { time, replica } = await testOutboxes(t, [endpoint]);
    const { notifier, runWhole } = replica();
    notifier.notify(backendDown('before'));
    await runWhole();
    endpoint.isEnabled = false;
    receiver.play(taken);
    receiver.seen.length = 0;
    time.now += minuteMs;
    notifier.notify(backendDown('while disabled'));
    await runWhole();
    assert.equal(receiver.seen.length, 0);
    endpoint.isEnabled = true;
    notifier.notify(backendDown('after'));
    await runWhole();
    assert.deepEqual(
      arrived(receiver.seen).map(({ model }) => model),
      ['before', 'after'],
    );
  });

  it('gets the types that it selects', async (t) => {
    await using receiver = await startUpstream(taken);
    const usual = endpointAt(1, `${receiver.apiBase}/usual`);
    const chosen = { ...endpointAt(2, `${receiver.apiBase}/chosen`), types: ['log_checkpoint'] };
    const { replica } = await testOutboxes(t, [usual, chosen]);
    const { notifier, runWhole } = replica();
    notifier.notify(backendDown('m'));
    notifier.notify({ type: 'log_checkpoint', data: { position: 7, checkpoint: 'note' } });
    await runWhole();
    assert.deepEqual(
      new Map(receiver.seen.map(({ path, body }) => [path, JSON.parse(String(body)).type])),
      new Map([
        ['/v1/chosen', 'log_checkpoint'],
        ['/v1/usual', 'backend_down'],
      ]),
    );
  });
});

describe('several control planes', () => {
  it('deliver 1,000 notifications once each, with 1,000 ids, in order', async (t) => {
    await using receiver = await startUpstream(taken);
    const { replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const both = [replica(), replica()];
    for (const [index, model] of names(1_000).entries()) {
      both[index % 2]?.notifier.notify(backendDown(model));
    }
    await until(
      async () => {
        await Promise.all(both.map(({ run }) => run()));
        return receiver.seen.length >= 1_000;
      },
      { what: '1,000 deliveries' },
    );
    await Promise.all(both.map(({ runWhole }) => runWhole()));
    const seen = arrived(receiver.seen);
    assert.equal(seen.length, 1_000);
    assert.equal(new Set(seen.map(({ id }) => id)).size, 1_000);
    for (const rest of [0, 1]) {
      const own = seen.map(({ model }) => Number(model.slice(1))).filter((n) => n % 2 === rest);
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
      );
    }
  });

  it('never deliver to one endpoint at the same time', async (t) => {
    let [open, most] = [0, 0];
    await using receiver = await startUpstream((request, response) => {
      most = Math.max(most, ++open);
      setImmediate(() => {
        open -= 1;
        taken(request, response);
      });
    });
    const { replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const three = [replica(), replica(), replica()];
    for (const [index, model] of names(90).entries()) {
      three[index % 3]?.notifier.notify(backendDown(model));
    }
    await until(
      async () => {
        await Promise.all(three.map(({ run }) => run()));
        return receiver.seen.length >= 90;
      },
      { what: '90 deliveries' },
    );
    assert.equal(most, 1);
  });

  it('take over from one that was killed, after its turn', async (t) => {
    await using receiver = await startUpstream(taken);
    const { time, replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const first = replica();
    const second = replica();
    receiver.play((request, response) => {
      if (request.body.includes('"m3"')) silent(request, response);
      else taken(request, response);
    });
    for (const model of names(6)) first.notifier.notify(backendDown(model));
    await first.run();
    await until(() => receiver.seen.length === 4, { what: 'the delivery that does not end' });
    await first.kill();
    receiver.play(taken);
    await second.runWhole();
    assert.equal(receiver.seen.length, 4);
    time.now += turnMs;
    await second.runWhole();
    const seen = arrived(receiver.seen);
    assert.deepEqual(
      seen.map(({ model }) => model),
      ['m0', 'm1', 'm2', 'm3', 'm3', 'm4', 'm5'],
    );
    assert.equal(seen[3]?.id, seen[4]?.id);
    assert.equal(new Set(seen.map(({ id }) => id)).size, 6);
  });
});

describe('the queue of an endpoint', () => {
  it('drops and counts new notifications while it is full, and keeps what it has', async (t) => {
    await using receiver = await startUpstream(broken);
    const { time, replica, sizes } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const { notifier, runWhole } = replica({ queuedMax: 3 });
    for (const model of names(5)) notifier.notify(backendDown(model));
    await runWhole();
    const oldest = new Date(time.now);
    assert.deepEqual(await sizes(), [{ endpointId: 1, pending: 3, dropped: 2, oldest }]);
    receiver.play(taken);
    receiver.seen.length = 0;
    time.now += minuteMs;
    await runWhole();
    notifier.notify(backendDown('m5'));
    await runWhole();
    assert.deepEqual(
      arrived(receiver.seen).map(({ model }) => model),
      ['m0', 'm1', 'm2', 'm5'],
    );
  });

  it('survives the end of the process that queued it', async (t) => {
    await using receiver = await startUpstream(broken);
    const { time, replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const first = replica();
    for (const model of names(3)) first.notifier.notify(backendDown(model));
    await first.runWhole();
    await first.close();
    receiver.play(taken);
    receiver.seen.length = 0;
    time.now += minuteMs;
    await replica().runWhole();
    assert.deepEqual(
      arrived(receiver.seen).map(({ model }) => model),
      names(3),
    );
  });

  it('gets what a process had in memory when it ended', async (t) => {
    await using receiver = await startUpstream(taken);
    const { replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const first = replica();
    first.notifier.notify(backendDown('m'));
    await first.close();
    assert.equal(receiver.seen.length, 0);
    await replica().runWhole();
    assert.equal(receiver.seen.length, 1);
  });

  it('stores text that a database cannot hold, without the characters in question', async (t) => {
    await using receiver = await startUpstream(taken);
    const { replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const { notifier, runWhole } = replica();
    notifier.notify(backendDown('a\u0000b\ud800'));
    notifier.notify(backendDown('next'));
    await runWhole();
    assert.deepEqual(
      arrived(receiver.seen).map(({ model }) => model),
      ['ab\ufffd', 'next'],
    );
  });

  it('leaves types that only a newer release knows to a control plane of that release', async (t) => {
    await using receiver = await startUpstream(taken);
    const { db, replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const row = { id: randomUUID(), type: 'of_a_newer_release', at: new Date(0), data: {} };
    await insertNotifications(db, [{ ...row, is_passed_on: true }]);
    const { notifier, runWhole } = replica();
    notifier.notify(backendDown('m'));
    await runWhole();
    assert.equal(receiver.seen.length, 1);
    const types = [row.type, 'backend_down'];
    const found = await routeNotifications(db, {
      types,
      queuedMax: 1,
      route: () => ({ deliveries: [], at: new Date(1), retryUntil: new Date(1) }),
    });
    assert.deepEqual(
      found.map(({ id }) => id),
      [row.id],
    );
  });

  it('forgets ended deliveries and those of deleted endpoints after their retention', async (t) => {
    await using receiver = await startUpstream(taken);
    const { db, time, replica, deliveries } = await testOutboxes(t, [
      endpointAt(1, receiver.apiBase),
      endpointAt(2, receiver.apiBase),
    ]);
    const { notifier, runWhole } = replica();
    notifier.notify(backendDown('m'));
    await runWhole();
    const at = new Date(time.now);
    const later = new Date(time.now + 1);
    const purge = (before: Date, orphanedBefore: Date) =>
      deleteExpired(db, { before, endpointIds: [1], orphanedBefore, limit: 100 });
    assert.equal(await purge(at, at), 0);
    assert.equal(await purge(at, later), 1);
    assert.deepEqual([(await deliveries(1)).length, (await deliveries(2)).length], [1, 0]);
    assert.equal(await purge(later, later), 2);
    assert.equal((await deliveries(1)).length, 0);
  });
});

describe('a notification of a transaction', () => {
  it('is sent when the transaction commits, to endpoints and to the single URL', async (t) => {
    await using receiver = await startUpstream(taken);
    const { db, replica } = await testOutboxes(t, [endpointAt(1, receiver.apiBase)]);
    const passedOn: Queued[] = [];
    const singleUrl = { ...noSingleUrl, send: (one: Queued) => void passedOn.push(one) };
    const { notifier, runWhole } = replica({ singleUrl });
    await assert.rejects(
      db.tx(async (tx) => {
        await notifier.notifyIn(tx, [backendDown('undone')]);
        throw new Error('rolled back');
      }),
      /rolled back/,
    );
    await db.tx((tx) => notifier.notifyIn(tx, [backendDown('kept')]));
    notifier.notify(backendDown('own'));
    await runWhole();
    await runWhole();
    assert.deepEqual(
      arrived(receiver.seen).map(({ model }) => model),
      ['kept', 'own'],
    );
    const ids = new Map(arrived(receiver.seen).map(({ id, model }) => [model, id]));
    assert.deepEqual(
      passedOn.map(({ id, type }) => [id, type]),
      [
        [ids.get('own'), 'backend_down'],
        [ids.get('kept'), 'backend_down'],
      ],
    );
  });
});

it('doubles the wait between attempts from 5 s to 15 min, with up to half left out', () => {
  const waits = [1, 2, 3, 8, 9, 100].map((attempts) => retryDelayMs(attempts, 0) / 1000);
  assert.deepEqual(waits, [5, 10, 20, 640, 900, 900]);
  assert.equal(retryDelayMs(1, 1), 2_500);
});
