// Tests the filters of requests: their parameters in the address, the texts of chips, and the compared group.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { usageFilter } from '../../../../../src/admin/operations/usage-filter.ts';
import { chipText, filterQueryOf, filters, parametersOf } from '../../filters.ts';
import { readCompared, shifted, writeCompared } from '../../load.ts';

function textOf(name: string, query: Readonly<Record<string, string>>): string {
  const filter = filters.find((one) => one.name === name) ?? assert.fail();
  return chipText(filter, query, (_of, value) => `record ${value}`);
}

it('has a filter for every parameter of the API', () => {
  const known = [...filters.flatMap(parametersOf), 'since', 'until'];
  assert.deepEqual(known.toSorted(), Object.keys(usageFilter).toSorted());
});

it('takes only filters from an address', () => {
  const query = { range: '7d', model: 'gpt', cols: 'at', tag: '', duration_ms_from: '5' };
  assert.deepEqual(filterQueryOf(query), { model: 'gpt', duration_ms_from: '5' });
});

it('describes what a chip selects', () => {
  const cases = [
    ['principal_id', { principal_id: '7' }, 'record 7'],
    ['status', { status: 'none' }, 'no response'],
    ['status', { status: '418' }, '418'],
    ['tag', { tag: 'batch' }, 'batch'],
    ['stream', { stream: 'false' }, 'not streamed'],
    ['duration_ms', { duration_ms_from: '200', duration_ms_below: '1000' }, '200 ms to 1 s'],
    ['cost_micros', { cost_micros_from: '2000' }, 'from $0.002'],
    ['tokens', { tokens_below: '5000' }, 'below 5,000'],
  ] as const;
  for (const [name, query, expected] of cases) assert.equal(textOf(name, query), expected);
});

it('keeps the compared group in one parameter', () => {
  const compared = { filter: { model: 'a&b=c', status: '5xx' }, shift: 'day' } as const;
  assert.deepEqual(readCompared(writeCompared(compared)), compared);
  assert.deepEqual(readCompared(writeCompared({ filter: {}, shift: '' })), {
    filter: {},
    shift: '',
  });
  assert.equal(readCompared(undefined), null);
  assert.deepEqual(readCompared('shift=never&colour=red'), { filter: {}, shift: '' });
});

it('compares with an earlier time of the same length', () => {
  const edges = { since: 10 * 86_400_000, until: 11 * 86_400_000 };
  assert.deepEqual(shifted(edges, ''), edges);
  assert.equal(shifted(edges, 'before').until, edges.since);
  assert.equal(shifted(edges, 'day').since, 9 * 86_400_000);
  assert.equal(shifted(edges, 'week').until, 4 * 86_400_000);
});
