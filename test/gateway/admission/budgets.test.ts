// Tests what a gateway counts against budgets, on real sockets: its answers and its requests in flight (Gateway rule 12).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../../harness/gateway/gateway.ts';
import type { TestGateway } from '../../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import {
  answerJson,
  completion,
  delta,
  frame,
  startUpstream,
} from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { until } from '../../harness/wait.ts';

type Budget = NonNullable<NonNullable<GivenSnapshot['keys']>[string]['budget']>;

const given = (apiBase: string, budget: Budget, version = 1): GivenSnapshot => ({
  version,
  models: { small: { backends: [{ apiBase }], prices: [1_000_000, 1_000_000] } },
  keys: { key: { budget }, other: {} },
});

const messageOf = async (response: Response): Promise<string> => {
  const { error }: { error: { message: string } } = JSON.parse(await response.text());
  return error.message;
};

/** Keeps requests until they are let go, each with 18 tokens. */
function holding() {
  const held: (() => void)[] = [];
  const script: Script = (request, response) =>
    void held.push(() => answerJson(completion)(request, response));
  return { held, script };
}

const ask = ({ chat }: TestGateway, more: Readonly<Record<string, unknown>> = {}) =>
  chat(chatBody('small', more));

describe('a gateway', () => {
  it('refuses the next request once its own answers have spent the budget', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [64, 100] }));
    assert.equal((await ask(gateway)).status, 200);
    assert.equal((await ask(gateway)).status, 200);
    const refused = await ask(gateway);
    assert.equal(refused.status, 402);
    assert.equal(await messageOf(refused), 'the token budget is exhausted: 100 of 100 tokens used');
    const other = { authorization: 'Bearer other' };
    assert.equal((await gateway.chat(chatBody('small'), other)).status, 200);
    assert.equal(gateway.events[2]?.budget_percent, 100);
  });

  it('counts money at the prices of the model, and at what the provider reports', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase, { costMicros: [0, 36] }));
    for (const status of [200, 200, 402]) assert.equal((await ask(gateway)).status, status);
    const usage = { ...completion.usage, cost: 0.001 };
    upstream.play(answerJson({ ...completion, usage }));
    gateway.apply(given(upstream.apiBase, { costMicros: [0, 1037] }, 2));
    for (const status of [200, 200, 402]) assert.equal((await ask(gateway)).status, status);
  });

  it('does not count a price card in another currency against a budget in US dollars', async () => {
    await using upstream = await startUpstream(answerJson());
    const whole = given(upstream.apiBase, { costMicros: [0, 36] });
    const backends = [{ apiBase: upstream.apiBase }];
    const small = {
      backends,
      prices: [1_000_000, 1_000_000],
      priceCard: { currency: 'EUR' },
    } as const;
    await using gateway = await startTestGateway({ ...whole, models: { small } });
    for (const status of [200, 200, 200]) assert.equal((await ask(gateway)).status, status);
  });

  it('reserves nothing of a budget in US dollars at prices in another currency', async () => {
    const { held, script } = holding();
    await using upstream = await startUpstream(script);
    const whole = given(upstream.apiBase, { costMicros: [0, 36] });
    const backends = [{ apiBase: upstream.apiBase }];
    const prices = [1_000_000, 1_000_000] as const;
    const small = { backends, prices, priceCard: { currency: 'EUR' } };
    await using gateway = await startTestGateway({ ...whole, models: { small } });
    const first = ask(gateway, { max_tokens: 1000 });
    await until(() => held.length === 1, { what: 'the first request' });
    const second = ask(gateway);
    await until(() => held.length + gateway.events.length === 2, { what: 'the second request' });
    for (const answer of held.splice(0)) answer();
    assert.deepEqual([(await first).status, (await second).status], [200, 200]);
  });

  it('keeps what it counted under another snapshot that says less', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [82, 100] }));
    assert.equal((await ask(gateway)).status, 200);
    gateway.apply(given(upstream.apiBase, { tokens: [82, 100] }, 2));
    assert.equal((await ask(gateway)).status, 402);
  });

  it('counts requests in flight by their estimates, and by nothing once they ended', async () => {
    const { held, script } = holding();
    await using upstream = await startUpstream(script);
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 100] }));
    const first = ask(gateway, { max_tokens: 90 });
    await until(() => held.length === 1, { what: 'the first request' });
    const refused = await ask(gateway);
    assert.equal(refused.status, 402);
    const estimate =
      90 + Math.ceil(JSON.stringify(chatBody('small', { max_tokens: 90 })).length / 4);
    assert.equal(
      await messageOf(refused),
      `the token budget is exhausted: 0 of 100 tokens used, about ${estimate} more reserved by requests in flight`,
    );
    held.pop()?.();
    assert.equal((await first).status, 200);
    upstream.play(answerJson());
    assert.equal((await ask(gateway)).status, 200);
  });

  it('admits a single client far below its cap, however much it asks for', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 1000] }));
    for (let sent = 0; sent < 5; sent++) {
      assert.equal((await ask(gateway, { max_tokens: 1_000_000 })).status, 200);
    }
  });

  it('admits requests far below its cap side by side, whatever max_tokens they ask for', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 1000] }));
    assert.equal((await ask(gateway)).status, 200);
    const { held, script } = holding();
    upstream.play(script);
    const asked = Array.from({ length: 4 }, () => ask(gateway, { max_tokens: 400 }));
    await until(() => held.length + gateway.events.length === 1 + 4, { what: 'all four' });
    for (const answer of held) answer();
    const statuses = await Promise.all(asked.map(async (one) => (await one).status));
    assert.deepEqual(statuses, [200, 200, 200, 200]);
  });

  it('estimates a request without max_tokens by the average answer', async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 100] }));
    assert.equal((await ask(gateway)).status, 200);
    const { held, script } = holding();
    upstream.play(script);
    const prompt = Math.ceil(JSON.stringify(chatBody('small')).length / 4);
    // 18 were used; each takes its prompt and the 7 tokens of the answer before.
    const admitted = Math.ceil((100 - 18) / (prompt + 7));
    const asked = Array.from({ length: 20 }, () => ask(gateway));
    await until(() => gateway.events.length === 1 + 20 - admitted, { what: 'the refusals' });
    await until(() => held.length === admitted, { what: 'the admitted requests' });
    for (const answer of held.splice(0)) answer();
    const statuses = await Promise.all(asked.map(async (one) => (await one).status));
    assert.equal(statuses.filter((status) => status === 200).length, admitted);
  });

  it('reserves nothing for a request that no backend can serve', async () => {
    await using upstream = await startUpstream(answerJson());
    const { models, ...rest } = given(upstream.apiBase, { tokens: [0, 50] });
    const vendor = { backends: [{ apiBase: upstream.apiBase, protocol: 'gemini' as const }] };
    await using gateway = await startTestGateway({ ...rest, models: { ...models, vendor } });
    for (let sent = 0; sent < 3; sent++) {
      const body = chatBody('vendor', { max_tokens: 40, logprobs: true });
      assert.equal((await gateway.chat(body)).status, 501);
    }
    assert.equal((await ask(gateway)).status, 200);
  });

  it('shows rules the same figure', async () => {
    await using upstream = await startUpstream(answerJson());
    const backends = [{ apiBase: upstream.apiBase }];
    await using gateway = await startTestGateway({
      models: { large: { backends }, small: { backends } },
      keys: { key: { budget: { tokens: [0, 36] } } },
      frontendModels: {
        chat: {
          rules: [{ when: { min_budget_used_percent: 50 }, targets: ['small'] }],
          defaults: ['large'],
        },
      },
    });
    const served = async () =>
      (await gateway.chat(chatBody('chat'))).headers.get('x-gw-served-model');
    assert.deepEqual([await served(), await served()], ['large', 'small']);
    assert.deepEqual(
      gateway.events.map((event) => event.budget_percent),
      [0, 50],
    );
  });
});

/** Twenty words and the mark of their end; the usage never comes. */
const withoutUsage: Script = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let word = 0; word < 20; word++) response.write(delta('four'));
  response.write(frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
};

describe('an answer whose usage could not be read', () => {
  it('is charged to the budget of a client that hangs up at the finish reason', async () => {
    await using upstream = await startUpstream(withoutUsage);
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 100] }));
    const statuses: number[] = [];
    for (let sent = 0; sent < 16; sent++) {
      const response = await ask(gateway, { stream: true });
      statuses.push(response.status);
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (text.includes('finish_reason":"stop"')) break;
      }
      await until(() => gateway.events.length > sent, { what: 'the row' });
    }
    const answered = statuses.filter((status) => status === 200).length;
    assert.ok(answered >= 2 && answered <= 5, `${answered} answered`);
    assert.deepEqual(new Set(statuses.slice(answered)), new Set([402]));
    const [row] = gateway.events;
    assert.deepEqual([row?.usage_reported, row?.usage_estimated], [false, true]);
    assert.equal(row?.prompt_tokens, row?.prompt_estimate);
    const completion = row?.completion_tokens ?? 0;
    assert.ok(completion >= 20 && completion <= 24, `${completion} tokens`);
  });

  it('is charged also where its usage is too far from its end, or it is compressed', async () => {
    const long = { usage: completion.usage, results: ['x'.repeat(10_000)] };
    await using upstream = await startUpstream(answerJson(long));
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 9000] }));
    assert.equal((await ask(gateway)).status, 200);
    upstream.play(answerJson(completion, 200, { 'content-encoding': 'gzip' }));
    await ask(gateway)
      .then((response) => response.arrayBuffer())
      .catch(() => {});
    await until(() => gateway.events.length === 2, { what: 'the rows' });
    const told = gateway.events.map((row) => [row.usage_reported, row.usage_estimated]);
    assert.deepEqual(told, [
      [false, true],
      [false, true],
    ]);
    assert.ok((gateway.events[0]?.completion_tokens ?? 0) > 2500);
  });

  it('is not charged where nothing of it was forwarded, or it was an error', async () => {
    await using upstream = await startUpstream(answerJson({ error: {} }, 400));
    await using gateway = await startTestGateway(given(upstream.apiBase, { tokens: [0, 9] }));
    for (let sent = 0; sent < 3; sent++) assert.equal((await ask(gateway)).status, 400);
    assert.deepEqual(
      gateway.events.map((row) => [row.usage_estimated, row.prompt_tokens]),
      Array.from({ length: 3 }, () => [false, 0]),
    );
  });
});
