// Tests slots: bounded parallel work with a bounded queue.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createSlots } from '../../src/control/slots.ts';
import { isRefusal } from '../../src/lib/refusal.ts';

it('queues work beyond the slots, and refuses work beyond the queue with a retry time', async () => {
  const slots = createSlots({ parallelMax: 2, waitingMax: 1, what: 'checks' });
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<number>());
  let started = 0;
  const runs = gates.map(({ promise }) =>
    slots.run(() => {
      started += 1;
      return promise;
    }),
  );
  assert.equal(started, 2);

  const refused = await slots.run(() => Promise.resolve(0));
  assert.ok(isRefusal(refused));
  assert.equal(refused.refused, 'unavailable');
  assert.equal(refused.retryAfterSeconds, 1);

  for (const [index, gate] of gates.entries()) gate.resolve(index);
  assert.deepEqual(await Promise.all(runs), [0, 1, 2]);
});

it('frees a slot after work that throws', async () => {
  const slots = createSlots({ parallelMax: 1, waitingMax: 0, what: 'checks' });
  await assert.rejects(
    slots.run(() => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await slots.run(() => Promise.resolve('ran')), 'ran');
});
