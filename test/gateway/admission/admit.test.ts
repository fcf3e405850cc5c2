// Budgets and rate limits on real sockets (Gateway rules 12 and 13).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import { answerJson, startUpstream, unusedApiBase } from '../../harness/upstream/upstream.ts';

type Key = NonNullable<GivenSnapshot['keys']>[string];

const given = (apiBase: string, key: Key, version = 1): GivenSnapshot => ({
  version,
  models: { small: { backends: [{ apiBase }] } },
  keys: { key, other: {} },
});

async function errorOf(response: Response) {
  const body: { error: Record<string, unknown> } = JSON.parse(await response.text());
  const { code, type, message } = body.error;
  return { status: response.status, code, type, message };
}

const limitHeaders = ({ headers }: Response) =>
  Object.fromEntries(
    [...headers].filter(([name]) => name.startsWith('x-ratelimit-') || name === 'retry-after'),
  );

/** A monotonic clock that the test sets, in seconds. */
function clockOf() {
  const clock = { seconds: 1000 };
  return { clock, monotonic: () => clock.seconds * 1000 };
}

describe('a budget', () => {
  it('that is reached refuses with 402, names the cap, and is recorded', async () => {
    await using upstream = await startUpstream(answerJson());
    const cases = [
      [{ tokens: [100, 100] }, 'the token budget is exhausted: 100 of 100 tokens used'],
      [
        { tokens: [100, 100], windowEnd: '2026-12-01T00:00:00+01:00' },
        'the token budget is exhausted: 100 of 100 tokens used; the next window starts at 2026-11-30T23:00:00.000Z',
      ],
      [{ tokens: [150, 100] }, 'the token budget is exhausted: 150 of 100 tokens used'],
      [
        { costMicros: [5_000_001, 5_000_000] },
        'the money budget is exhausted: 5.000001 of 5.000000 used',
      ],
      [
        { tokens: [1, 100], costMicros: [70, 50] },
        'the money budget is exhausted: 0.000070 of 0.000050 used',
      ],
    ] as const;
    await using gateway = await startTestGateway(null);
    for (const [index, [budget, message]] of cases.entries()) {
      gateway.apply(given(upstream.apiBase, { budget }, index + 1));
      const refused = await errorOf(await gateway.chat(chatBody('small')));
      const expected = { status: 402, code: 'budget_exceeded', type: 'billing_error', message };
      assert.deepEqual(refused, expected);
      const event = gateway.events[index];
      assert.deepEqual(
        [event?.refusal, event?.status, event?.model, event?.prompt_tokens, event?.usage_reported],
        ['budget', 402, 'small', 0, false],
      );
    }
    assert.equal(upstream.seen.length, 0);
    assert.match(await gateway.metrics(), /gw_rejections_total\{reason="over_budget"\} 5/);
  });

  it('admits requests while it is not reached, and ignores other principals', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(
      given(upstream.apiBase, { budget: { tokens: [99, 100], costMicros: [0, 1] } }),
    );
    const response = await gateway.chat(chatBody('small'));
    assert.deepEqual([response.status, limitHeaders(response)], [200, {}]);
    gateway.apply(given(upstream.apiBase, { budget: { tokens: [100, 100] } }, 2));
    assert.equal((await gateway.chat(chatBody('small'))).status, 402);
    const other = { authorization: 'Bearer other' };
    assert.equal((await gateway.chat(chatBody('small'), other)).status, 200);
  });

  it('is asked for after the grant and before the rate, which it is not charged to', async () => {
    await using upstream = await startUpstream(answerJson());
    const limits = { requests: 1 };
    const budget = { tokens: [100, 100] } as const;
    await using gateway = await startTestGateway(
      given(upstream.apiBase, { grants: [], limits, budget }),
    );
    assert.equal((await gateway.chat(chatBody('small'))).status, 403);
    assert.equal((await gateway.chat(chatBody('absent'))).status, 404);
    gateway.apply(given(upstream.apiBase, { limits, budget }, 2));
    for (const _time of [1, 2]) assert.equal((await gateway.chat(chatBody('small'))).status, 402);
    gateway.apply(given(upstream.apiBase, { limits }, 3));
    assert.equal((await gateway.chat(chatBody('small'))).status, 200);
    assert.equal((await gateway.chat(chatBody('small'))).status, 429);
  });
});

/** The limit is two requests. */
const headOfTwo = (remaining: number, reset: number) => ({
  'x-ratelimit-limit-requests': '2',
  'x-ratelimit-remaining-requests': String(remaining),
  'x-ratelimit-reset': String(reset),
});

describe('a limit on requests', () => {
  it('refuses with 429 and Retry-After, says what is left, and is recorded', async () => {
    await using upstream = await startUpstream(answerJson());
    const { clock, monotonic } = clockOf();
    const snapshot = given(upstream.apiBase, { limits: { requests: 2 } });
    await using gateway = await startTestGateway(snapshot, { monotonic });
    assert.deepEqual(limitHeaders(await gateway.chat(chatBody('small'))), headOfTwo(1, 30));
    assert.deepEqual(limitHeaders(await gateway.chat(chatBody('small'))), headOfTwo(0, 60));
    const refused = await gateway.chat(chatBody('small'));
    assert.deepEqual(limitHeaders(refused), { ...headOfTwo(0, 60), 'retry-after': '30' });
    assert.deepEqual(await errorOf(refused), {
      status: 429,
      code: 'rate_limit_exceeded',
      type: 'rate_limit_error',
      message: 'the limit of 2 requests per minute is reached; retry after the time in Retry-After',
    });
    assert.equal(upstream.seen.length, 2);
    const [, , event] = gateway.events;
    assert.deepEqual([event?.refusal, event?.status, event?.model], ['rate_limit', 429, 'small']);
    assert.match(await gateway.metrics(), /gw_rejections_total\{reason="rate_limited"\} 1/);
    clock.seconds += 30;
    assert.equal((await gateway.chat(chatBody('small'))).status, 200);
    clock.seconds += 120;
    const rested = await gateway.chat(chatBody('small'));
    assert.deepEqual(limitHeaders(rested), headOfTwo(1, 30));
  });

  it('is not refilled by a new snapshot', async () => {
    await using upstream = await startUpstream(answerJson());
    const limits = { requests: 1 };
    await using gateway = await startTestGateway(given(upstream.apiBase, { limits }));
    assert.equal((await gateway.chat(chatBody('small'))).status, 200);
    gateway.apply(given(upstream.apiBase, { limits }, 2));
    assert.equal((await gateway.chat(chatBody('small'))).status, 429);
  });

  it('reports the remaining limit when no backend answers, or only with an error', async () => {
    const limits = { requests: 9 };
    await using gateway = await startTestGateway(given(await unusedApiBase(), { limits }));
    const unreached = await gateway.chat(chatBody('small'));
    assert.equal(unreached.status, 502);
    assert.equal(unreached.headers.get('x-ratelimit-remaining-requests'), '8');
    await using upstream = await startUpstream(answerJson({ error: {} }, 500));
    gateway.apply(given(upstream.apiBase, { limits }, 2));
    const failed = await gateway.chat(chatBody('small'));
    assert.equal(failed.status, 500);
    assert.equal(failed.headers.get('x-ratelimit-remaining-requests'), '7');
  });

  it('reports the remaining limit when no backend supports the request', async () => {
    const small = { backends: [{ apiBase: 'http://127.0.0.1:1', protocol: 'gemini' }] };
    const keys = { key: { limits: { requests: 9 } } };
    await using gateway = await startTestGateway({ models: { small }, keys });
    const response = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: '{"model":"small"}',
    });
    assert.equal(response.status, 501);
    assert.equal(response.headers.get('x-should-retry'), 'false');
    assert.equal(response.headers.get('x-ratelimit-remaining-requests'), '8');
  });
});

for (const [what, key] of [
  ['rate', { limits: { requests: 1 } }],
  ['budget', { budget: { tokens: [10, 10] } }],
] as const) {
  it(`what is refused for its ${what} takes no turn of a pool`, async () => {
    await using upstream = await startUpstream(answerJson());
    const backends = [{ apiBase: upstream.apiBase }];
    const { monotonic } = clockOf();
    await using gateway = await startTestGateway(
      {
        models: { a: { backends }, b: { backends } },
        pools: { pool: { policy: 'round-robin', members: { a: 1, b: 1 } } },
        frontendModels: { chat: { defaults: ['pool'] } },
        keys: { key, other: {} },
      },
      { monotonic },
    );
    const ask = (name: string) =>
      gateway.chat(chatBody('chat'), { authorization: `Bearer ${name}` });
    await ask('key');
    const before = (await ask('other')).headers.get('x-gw-served-model');
    assert.match(String((await ask('key')).status), /^(402|429)$/);
    const after = (await ask('other')).headers.get('x-gw-served-model');
    assert.notEqual(after, before);
  });
}

describe('a limit on tokens', () => {
  it('is charged the estimate of the prompt and what may be generated', async () => {
    await using upstream = await startUpstream(answerJson());
    const { monotonic } = clockOf();
    const snapshot = given(upstream.apiBase, { limits: { tokens: 1000 } });
    await using gateway = await startTestGateway(snapshot, { monotonic });
    const body = chatBody('small', { max_tokens: 500 });
    const estimate = Math.ceil(JSON.stringify(body).length / 4);
    const response = await gateway.chat(body);
    assert.deepEqual(limitHeaders(response), {
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': String(500 - estimate),
      'x-ratelimit-reset': String(Math.ceil(((500 + estimate) * 60) / 1000)),
    });
    assert.equal(gateway.events.length <= 1, true);
    const refused = await gateway.chat(body);
    assert.equal(refused.status, 429);
    const wait = Math.ceil((2 * estimate * 60) / 1000);
    assert.equal(refused.headers.get('retry-after'), String(wait));
    assert.equal(
      (await errorOf(refused)).message,
      'the limit of 1000 tokens per minute is reached; retry after the time in Retry-After',
    );
  });

  it('admits a request above the whole limit when none of it is spent', async () => {
    await using upstream = await startUpstream(answerJson());
    const { clock, monotonic } = clockOf();
    const snapshot = given(upstream.apiBase, { limits: { tokens: 100 } });
    await using gateway = await startTestGateway(snapshot, { monotonic });
    const dear = chatBody('small', { max_tokens: 10_000 });
    assert.equal((await gateway.chat(dear)).status, 200);
    const cheap = await gateway.chat(chatBody('small'));
    assert.equal(cheap.status, 429);
    clock.seconds += Number(cheap.headers.get('retry-after'));
    assert.equal((await gateway.chat(chatBody('small'))).status, 200);
  });

  it('is charged for what a data: URL holds not at all', async () => {
    await using upstream = await startUpstream(answerJson());
    const snapshot = given(upstream.apiBase, { limits: { tokens: 1000 } });
    await using gateway = await startTestGateway(snapshot, { monotonic: clockOf().monotonic });
    const url = `data:image/png;base64,${'A'.repeat(100_000)}`;
    const content = [{ type: 'image_url', image_url: { url } }];
    const response = await gateway.chat({ ...chatBody('small'), messages: [{ content }] });
    assert.equal(response.status, 200);
    assert.ok(Number(response.headers.get('x-ratelimit-remaining-tokens')) > 900);
  });
});

it('without limits there are no such headers, and an upstream’s own are not passed on', async () => {
  const own = { 'x-ratelimit-limit-requests': '9', 'x-ratelimit-reset': '1s' };
  await using upstream = await startUpstream(answerJson(undefined, 200, own));
  await using gateway = await startTestGateway(given(upstream.apiBase, {}));
  assert.deepEqual(limitHeaders(await gateway.chat(chatBody('small'))), {});
});
