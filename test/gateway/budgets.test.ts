// What a gateway counts against budgets itself, on real sockets: what it answered, and what it has in flight (Gateway rule 12).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { chatBody, startTestGateway } from '../harness/gateway.ts';
import type { TestGateway } from '../harness/gateway.ts';
import type { GivenSnapshot } from '../harness/snapshot.ts';
import { answerJson, completion, startUpstream } from '../harness/upstream.ts';
import type { Script } from '../harness/upstream.ts';
import { until } from '../harness/wait.ts';

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
    assert.equal(await messageOf(refused), 'the token budget is reached: 100 of 100 tokens used');
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
      `the token budget is reached: 0 of 100 tokens used, about ${estimate} more by requests in flight`,
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

  it('takes a request without max_tokens to need what answers needed on average', async () => {
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

  it('holds nothing of a request that no backend can serve', async () => {
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
