// Tests the versions of a model's prices over HTTP: their order, their states, and who set them.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { statesOf } from '../../../src/control/prices/price-history.ts';
import { member, testAdministrator } from '../../harness/admin/admin.ts';

it('lists the prices of a model with who set them, newest first', async (t) => {
  const { send } = await testAdministrator(t);
  await send('POST', '/admin/models', { name: 'engine', input_price_per_mtok: 1_000_000 });
  await send('PATCH', '/admin/models/1', { output_price_per_mtok: 2_000_000 });
  const price_card = { cache_read: 100_000, effective_from: '2100-01-01T00:00:00.000Z' };
  const changed = await send('PATCH', '/admin/models/1', { price_card });
  assert.equal(changed.status, 200);
  const { status, body } = await send('GET', '/admin/provider-models/1/prices');
  assert.equal(status, 200);
  assert.ok(Array.isArray(body));
  const shown = ['version', 'state', 'actor_name', 'input_price_per_mtok', 'price_card'] as const;
  assert.deepEqual(
    body.map((one: unknown) => shown.map((name) => member(one, name))),
    [
      [3, 'scheduled', 'boss', 1_000_000, price_card],
      [2, 'current', 'boss', 1_000_000, null],
      [1, 'past', 'boss', 1_000_000, null],
    ],
  );
  assert.equal(member(body[0], 'effective_from'), price_card.effective_from);
  assert.equal(member(body[1], 'effective_from'), member(body[1], 'set_at'));
  const { body: event } = await send(
    'GET',
    `/admin/history/events/${String(member(body[0], 'position'))}`,
  );
  assert.equal(member(event, 'type'), 'ModelPriced');
  assert.equal((await send('GET', '/admin/provider-models/9/prices')).status, 404);
});

const cases: readonly (readonly [title: string, from: readonly number[], states: string])[] = [
  ['no price', [], ''],
  ['the last of three', [1, 2, 3], 'past past current'],
  ['one before its start', [100], 'scheduled'],
  ['a later change that is scheduled', [1, 100], 'current scheduled'],
  ['a change that takes effect before the scheduled one', [1, 100, 5], 'past replaced current'],
  ['two at the same time', [5, 5], 'replaced current'],
];

for (const [title, from, states] of cases) {
  it(`tells the state of prices: ${title}`, () => {
    const versions = from.map((fromMs) => ({ fromMs }));
    assert.equal(statesOf(versions, 10).join(' '), states);
  });
}
