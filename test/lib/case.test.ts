// Tests the spelling of field names on the wire and in the program.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { camelCase, camelKeys, snakeCase, snakeKeys } from '../../src/lib/case.ts';

it('a name in snake case becomes one in camel case, and back', () => {
  const names: readonly (readonly [string, string])[] = [
    ['id', 'id'],
    ['cache_ttl_seconds', 'cacheTtlSeconds'],
    ['input_price_per_mtok', 'inputPricePerMtok'],
  ];
  for (const [snake, camel] of names) {
    assert.equal(camelCase(snake), camel);
    assert.equal(snakeCase(camel), snake);
  }
});

it('members keep their values and their order, and members of members their names', () => {
  const data = { id: 1, flow_control: { max_queued: 2 } };
  assert.deepEqual(Object.entries(camelKeys(data)), [
    ['id', 1],
    ['flowControl', { max_queued: 2 }],
  ]);
  assert.deepEqual(snakeKeys(camelKeys(data)), data);
});
