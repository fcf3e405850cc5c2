// Tests that single usage rows are listed with all details of a request.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import { membersOf, tokenParts } from '../../../src/usage/counts.ts';
import { reported, reportUsage } from '../../harness/admin/usage.ts';

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

async function withModel(...[test]: Parameters<typeof testAdministrator>): Promise<Administrator> {
  const started = await testAdministrator(test);
  await started.send('POST', '/admin/models', { name: 'small' });
  return started;
}

const path = '/admin/usage/events';

async function ids({ send }: Administrator, query = ''): Promise<readonly unknown[]> {
  const { status, body } = await send('GET', `${path}${query}`);
  assert.equal(status, 200);
  assert.ok(Array.isArray(body));
  return body.map((row) => member(row, 'id'));
}

const minute = (minutes: number): string =>
  new Date(Date.now() - 3_600_000 + minutes * 60_000).toISOString();

describe('a usage row', () => {
  it('has all reported fields of the request, and adds names to ids', async (t) => {
    const started = await withModel(t);
    await started.send('POST', '/admin/prompt-classes', { name: 'code', tier: 'fast' });
    const told = {
      key_id: 7,
      tag: 'spill',
      frontend_model_id: 4,
      rule_id: 9,
      route: 'rule:0',
      budget_percent: 41,
      matched_headers: ['x-team'],
      rule_inputs: {
        at_ms: 1,
        headers: { 'x-team': 'a' },
        crowded_rules: [9],
        cost_micros: 12,
      },
      max_tokens: 64,
      stream: true,
      attempts: 2,
      cache_read_tokens: 900,
      reasoning_tokens: 0,
      server_tool_calls: { web_search: 2 },
      units: { output_images: 1 },
      service_tier: 'flex',
      reported_cost_micros: 12,
      run: '01ARZ3NDEKTSV4RRFFQ6000000',
      seq: 3,
    };
    const event = reported(1, { ...told, prompt_class_id: 1 });
    await reportUsage(started, [event]);
    const { body } = await started.send('GET', `${path}?id=${event.id}`);
    assert.ok(Array.isArray(body));
    const { received_at: _receivedAt, ...row } = body[0];
    assert.deepEqual(row, {
      ...membersOf(
        tokenParts.map(({ name }) => name),
        null,
      ),
      ...event,
      replica: 'r1',
      principal: 'bootstrap',
      provider: null,
      prompt_class: 'code',
      usage_estimated: false,
      estimated_cost_micros: null,
      cost_micros: 12,
      currency: 'USD',
      price_version: null,
    });
  });

  it('from another release of proxies is accepted, without unknown fields and with defaults', async (t) => {
    const started = await withModel(t);
    const newer = reported(1, { colour: 'red', nested: { deep: [1] } });
    const { body } = await reportUsage(started, [newer, reported(2)]);
    assert.deepEqual(body, { accepted: 2, dropped: 0, budgets: [] });
    const { body: rows } = await started.send('GET', path);
    assert.ok(Array.isArray(rows));
    for (const row of rows) {
      assert.deepEqual(
        ['prompt_class', 'budget_percent', 'matched_headers', 'rule_id', 'rule_inputs'].map(
          (name) => member(row, name),
        ),
        [null, null, [], null, null],
      );
    }
  });
});

describe('usage rows', () => {
  it('are paged newest first, each row once', async (t) => {
    const started = await withModel(t);
    // Several rows of the same time are ordered by id.
    const events = Array.from({ length: 25 }, (_value, index) =>
      reported(index, { at: minute(Math.floor(index / 3)), tag: 'spill' }),
    );
    await reportUsage(started, [...events, reported(90, { at: minute(50) })]);
    const seen: unknown[] = [];
    let next: string | null = `${path}?tag=spill&limit=7`;
    let pages = 0;
    while (next !== null) {
      const answer = await started.send('GET', next);
      assert.equal(answer.headers.get('x-total-count'), '25');
      assert.ok(Array.isArray(answer.body));
      seen.push(...answer.body.map((row) => member(row, 'id')));
      next = /^<([^>]*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
      pages++;
    }
    assert.equal(pages, 4);
    assert.deepEqual(seen, events.map(({ id }) => id).toReversed());
  });

  it('are filtered by each parameter', async (t) => {
    const started = await withModel(t);
    await started.send('POST', '/admin/models', { name: 'large' });
    const events = [
      reported(1, { at: minute(1) }),
      reported(2, { at: minute(2), model_id: 2, virtual_model: 'code' }),
      reported(3, { at: minute(3), refusal: 'budget', status: 402, model_id: null, model: null }),
    ];
    await reportUsage(started, events);
    const [first, second, third] = events.map(({ id }) => id);
    const cases: readonly (readonly [string, readonly unknown[]])[] = [
      ['', [third, second, first]],
      ['?model=large', [second]],
      ['?virtual_model=chat', [third, first]],
      ['?refusal=budget', [third]],
      ['?principal_id=1&model=small', [first]],
      ['?principal_id=2', []],
      [`?since=${minute(1.5)}&until=${minute(2.5)}`, [second]],
      [`?id=${first}`, [first]],
      ['?tag=none', []],
      ['?provider=none', []],
    ];
    for (const [query, expected] of cases) {
      assert.deepEqual(await ids(started, query), expected, query);
    }
  });

  it('refuse invalid filter values', async (t) => {
    const started = await withModel(t);
    const cases = [
      ['id=short', 'id'],
      ['refusal=boredom', 'refusal'],
      ['after=bm9uc2Vuc2U', 'after'],
      ['principal_id=one', 'principal_id'],
      ['limit=0', 'limit'],
      [`since=${minute(2)}&until=${minute(1)}`, 'since'],
      ['unknown=1', 'unknown'],
    ] as const;
    for (const [query, param] of cases) {
      const answer = await started.send('GET', `${path}?${query}`);
      assert.deepEqual(errorOf(answer), [400, 'invalid', param], query);
    }
  });
});
