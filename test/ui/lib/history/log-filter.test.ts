// Tests the filters of log lists: each is sent as its endpoint expects, and invalid ones are
// ignored.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  askedText,
  auditQueryOf,
  commandNameOf,
  commandQueryOf,
  eventQueryOf,
  isUnfiltered,
  spanQueryOf,
} from '../../../../ui/lib/history/log-filter.ts';
import { endOf, firstRows, follow, wantedFor, wantedMore } from '../../../../ui/lib/page/pages.ts';

const now = Date.UTC(2026, 10, 21, 12);
const hour = '2026-11-21T11:00:00.000Z';
const [first, second] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];

type Query = Readonly<Record<string, string>>;
type Case = Readonly<{ address: Query; asked: object }>;

const lists: readonly Readonly<{
  name: string;
  queryOf: (query: Query, now: number) => object;
  cases: readonly Case[];
}>[] = [
  {
    name: 'the audit log',
    queryOf: auditQueryOf,
    cases: [
      { address: {}, asked: {} },
      { address: { actor: '4', target: ' /keys ' }, asked: { actor_id: 4, target: '/keys' } },
      { address: { actor: 'cli', action: 'CLI' }, asked: { actor_kind: 'cli', action: 'CLI' } },
      { address: { actor: 'boss', range: 'ever', order: 'up' }, asked: {} },
      { address: { range: '1h' }, asked: { since: hour } },
      { address: { range: `${first}/${second}` }, asked: { since: first, until: second } },
      { address: { range: `/${second}`, order: 'asc' }, asked: { until: second, order: 'asc' } },
      { address: { stream: 'model-7', type: 'ModelPriced' }, asked: {} },
    ],
  },
  {
    name: 'changes',
    queryOf: commandQueryOf,
    cases: [
      { address: { actor: '4', stream: ' model-7 ' }, asked: { actor: 4, stream: 'model-7' } },
      { address: { actor: 'system' }, asked: { actor_kind: 'system' } },
      { address: { command: 'update model' }, asked: { command: 'UpdateModel' } },
      { address: { request: 'abc', range: '1h' }, asked: { request_id: 'abc', from: hour } },
      { address: { range: `${first}/` }, asked: { from: first } },
      { address: { range: `/${second}` }, asked: { to: second } },
      { address: { type: 'ModelPriced', actor: '0', range: 'ever' }, asked: {} },
    ],
  },
  {
    name: 'events',
    queryOf: eventQueryOf,
    cases: [
      {
        address: { type: 'ModelPriced', stream: 'model-7', order: 'asc' },
        asked: { type: 'ModelPriced', stream: 'model-7', order: 'asc' },
      },
      { address: { command: 'UpdateModel', request: ' abc ' }, asked: { request_id: 'abc' } },
    ],
  },
  {
    name: 'versions',
    queryOf: spanQueryOf,
    cases: [
      { address: { range: `${first}/${second}`, actor: '4' }, asked: { from: first, to: second } },
    ],
  },
];

for (const { name, queryOf, cases } of lists) {
  describe(`${name} narrowed in the address`, () => {
    for (const { address, asked } of cases) {
      it(JSON.stringify(address), () => assert.deepEqual(queryOf(address, now), asked));
    }
  });
}

it('accepts the name of a change as shown or as in the log', () => {
  const names = { 'update model': 'UpdateModel', UpdateModel: 'UpdateModel', ' ': '' };
  for (const [typed, name] of Object.entries(names)) assert.equal(commandNameOf(typed), name);
});

it('a filter, order or state changes the list; a drawer or a column does not', () => {
  assert.ok(isUnfiltered({ sort: 'at', range: ' ' }) && !isUnfiltered({ range: '1h' }));
  assert.equal(askedText({ cols: 'at' }), askedText({}));
  for (const name of ['order', 'state', 'request']) {
    assert.notEqual(askedText({ [name]: 'x' }), askedText({}), name);
  }
});

/** A list with this many rows, which records its queries. */
function listOf(count: number) {
  const asked: number[] = [];
  const page = async (limit: number, last: number | undefined) => {
    asked.push(limit);
    const from = (last ?? 0) + 1;
    return {
      body: Array.from({ length: Math.min(limit, count + 1 - from) }, (_, at) => from + at),
    };
  };
  return { asked, page };
}

it('requests the wanted number of rows in pages of the server', async () => {
  const list = listOf(5_000);
  assert.equal((await firstRows(2_100, list.page)).length, 2_100);
  assert.deepEqual(list.asked, [1_000, 1_000, 100]);
  assert.deepEqual(await firstRows(100, listOf(3).page), [1, 2, 3]);
});

it('loads all rows page by page, and requests nothing after the last page', async () => {
  for (const [count, pages] of [
    [0, []],
    [3, [3]],
    [2_000, [1_000, 1_000]],
    [2_001, [1_000, 1_000, 1]],
  ] as const) {
    const found: number[] = [];
    const { page } = listOf(count);
    for await (const rows of follow(page)(new AbortController().signal)) found.push(rows.length);
    assert.deepEqual(found, pages);
  }
});

it('a list is complete once a page has fewer rows than requested', () => {
  const steps = { first: 100, more: 500 };
  const begun = wantedFor(null, 'a', steps);
  const shown = { ...begun, answered: 100 };
  const more = wantedMore(shown, steps);
  assert.deepEqual([begun.rows, more.rows], [100, 600]);
  const still = { isLoading: false };
  assert.equal(endOf(begun, { shown: 0, isLoading: true }), 'coming');
  assert.equal(endOf(shown, { shown: 99, ...still }), 'all');
  assert.equal(endOf(shown, { shown: 100, ...still }), 'more');
  assert.equal(
    endOf(shown, { shown: 99, isLoading: true }),
    'all',
    'a poll without new rows changes nothing',
  );
  assert.equal(endOf(more, { shown: 100, isLoading: true }), 'coming');
  // After a failure the same rows are requested again.
  assert.equal(endOf(more, { shown: 100, ...still }), 'more');
  assert.equal(wantedMore(more, steps).rows, 600);
  assert.equal(wantedMore(shown, { ...steps, max: 300 }).rows, 300);
  assert.equal(wantedFor(more, 'a', steps), more);
  assert.deepEqual(wantedFor(more, 'b', steps), { asked: 'b', rows: 100, answered: 0 });
});
