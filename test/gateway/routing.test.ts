// Rules, pools and policies through real sockets: what the client sees, and what the usage row says.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

const keys = { key: {} };
const busy = answerJson({ error: { message: 'busy' } }, 503);

const answered = (response: Response) => [
  response.status,
  response.headers.get('x-gw-route'),
  response.headers.get('x-gw-served-model'),
];

const model = ({ apiBase }: Readonly<{ apiBase: string }>) => ({ backends: [{ apiBase }] });

describe('a model whose provider is out of rotation', () => {
  it('is not taken for an unknown one: 502, a row, and what the caller has left of its limits', async () => {
    const backends = [{ apiBase: 'http://127.0.0.1:1/v1', isOut: true }] as const;
    await using gateway = await startTestGateway({
      models: { m: { backends } },
      keys: { key: { limits: { requests: 1 } }, other: { grants: ['model/else'] } },
    });
    const ask = async (key: string) => {
      const answer = await gateway.chat(chatBody('m'), { authorization: `Bearer ${key}` });
      const { error } = z
        .object({ error: z.object({ code: z.string() }) })
        .parse(await answer.json());
      return [answer.status, error.code, answer.headers.get('x-ratelimit-remaining-requests')];
    };
    assert.deepEqual(await ask('key'), [502, 'no_backend', '0']);
    assert.deepEqual(await ask('key'), [429, 'rate_limit_exceeded', '0']);
    assert.deepEqual(await ask('other'), [403, 'model_access_denied', null]);
    assert.deepEqual(
      gateway.events.map(({ status, refusal, model, attempts }) => [
        status,
        refusal,
        model,
        attempts,
      ]),
      [
        [502, 'no_backend', 'm', 0],
        [429, 'rate_limit', 'm', 0],
        [403, 'authorisation', 'm', 0],
      ],
    );
  });
});

/** This number of user messages, with answers between. */
const talk = (first: string, turns: number) => ({
  model: 'm',
  messages: Array.from({ length: turns * 2 - 1 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: index === 0 ? first : `turn ${index}`,
  })),
});

describe('a frontend model', () => {
  it('is routed by its rules, and the usage row says which one decided', async () => {
    await using upstream = await startUpstream(answerJson());
    const backends = [{ apiBase: upstream.apiBase }];
    await using gateway = await startTestGateway({
      models: { small: { backends }, large: { backends } },
      frontendModels: {
        house: {
          rules: [
            { when: { headers: { 'x-tier': 'gold' } }, targets: ['large'], tag: 'paid' },
            { when: { min_max_tokens: 1000 }, deny: { status: 413, message: 'too much' } },
            { when: { stream: true }, jump: 'cellar' },
          ],
          defaults: ['small'],
        },
        cellar: { defaults: ['large'] },
      },
      keys,
    });
    const headers = { authorization: 'Bearer key', 'X-Tier': 'gold' };
    const byRule = await gateway.chat(chatBody('house'), headers);
    assert.deepEqual(answered(byRule), [200, 'rule:0', 'large']);
    assert.equal(JSON.parse(upstream.seen[0]?.body.toString() ?? '').model, 'large');
    const byDefault = await gateway.chat(chatBody('house'));
    assert.deepEqual(answered(byDefault), [200, 'default', 'small']);
    const byJump = await gateway.chat(chatBody('house', { stream: true }));
    assert.deepEqual(answered(byJump), [200, 'jump:cellar>default', 'large']);
    await until(() => gateway.events.length === 3, { what: 'three usage rows' });
    assert.deepEqual(
      gateway.events.map(({ virtual_model, model, route, tag }) => [
        virtual_model,
        model,
        route,
        tag,
      ]),
      [
        ['house', 'large', 'rule:0', 'paid'],
        ['house', 'small', 'default', null],
        ['house', 'large', 'jump:cellar>default', null],
      ],
    );
    assert.deepEqual(
      gateway.events.map((event) => [event.frontend_model_id, event.rule_id]),
      [
        [1, 1],
        [1, null],
        [2, null],
      ],
    );
    assert.match(await gateway.metrics(), /gw_fallback_used_total 0\n/);
  });

  it('leaves in the usage row what the decision hung on, and no value of a header that no rule names', async () => {
    await using upstream = await startUpstream(answerJson());
    const backends = [{ apiBase: upstream.apiBase }];
    await using gateway = await startTestGateway({
      models: { small: { backends } },
      frontendModels: {
        house: {
          rules: [{ when: { headers: { 'x-tier': 'gold', 'x-team': 'a' } }, targets: ['small'] }],
          defaults: ['small'],
        },
      },
      keys: { key: { budget: { tokens: [41, 100] } }, free: {} },
    });
    const gold = { authorization: 'Bearer key', 'x-tier': 'gold', 'x-team': 'a', 'x-else': 'b' };
    await (await gateway.chat(chatBody('house', { max_tokens: 5 }), gold)).text();
    const free = { authorization: 'Bearer free', 'x-tier': 'silver', 'x-team': 'a' };
    await (await gateway.chat(chatBody('house'), free)).text();
    await until(() => gateway.events.length === 2, { what: 'two usage rows' });
    assert.deepEqual(
      gateway.events.map((event) => [
        event.matched_headers,
        event.budget_percent,
        event.prompt_class_id,
        event.max_tokens,
        event.prompt_estimate > 0,
        event.rule_inputs?.headers,
      ]),
      [
        [['x-tier', 'x-team'], 41, null, 5, true, { 'x-tier': 'gold', 'x-team': 'a' }],
        [[], null, null, null, true, { 'x-team': 'a' }],
      ],
    );
    assert.doesNotMatch(JSON.stringify(gateway.events), /silver|x-else/);
  });

  it("is denied with the rule's own status and message", async () => {
    await using upstream = await startUpstream(answerJson());
    await using gateway = await startTestGateway({
      models: { small: { backends: [{ apiBase: upstream.apiBase }] } },
      frontendModels: {
        house: {
          rules: [{ deny: { status: 418, message: 'no tea here' }, tag: 'tea' }],
          defaults: ['small'],
        },
      },
      keys,
    });
    const response = await gateway.chat(chatBody('house'));
    assert.deepEqual(answered(response), [418, 'rule:0', null]);
    const { error } = JSON.parse(await response.text());
    assert.deepEqual([error.message, error.code], ['no tea here', 'denied_by_rule']);
    assert.equal(upstream.seen.length, 0);
    const [event] = gateway.events;
    assert.deepEqual(
      [event?.status, event?.refusal, event?.tag, event?.route, event?.model],
      [418, 'authorisation', 'tea', 'rule:0', null],
    );
  });

  it('fails over along its targets, and names the decision whichever of them answers', async () => {
    await using bad = await startUpstream(busy);
    await using good = await startUpstream(answerJson());
    await using gateway = await startTestGateway({
      models: { one: model(bad), two: model(bad), three: model(good) },
      frontendModels: { house: { rules: [{ targets: ['one', 'pool'] }] } },
      pools: { pool: { policy: 'round-robin', members: { two: 1, three: 1 } } },
      keys,
    });
    const response = await gateway.chat(chatBody('house'));
    assert.deepEqual(answered(response), [200, 'rule:0', 'three']);
    assert.equal(bad.seen.length, 2);
  });

  it('spills when its own targets are busy', async () => {
    await using slow = await startUpstream(() => {});
    await using spare = await startUpstream(answerJson());
    await using gateway = await startTestGateway({
      models: {
        own: { backends: [{ apiBase: slow.apiBase }] },
        cloud: { backends: [{ apiBase: spare.apiBase }] },
      },
      frontendModels: {
        house: {
          rules: [{ when: { max_inflight_per_backend: 1 }, targets: ['own'] }],
          defaults: ['cloud'],
        },
      },
      keys,
    });
    const waiting = gateway.chat(chatBody('house'));
    await until(() => slow.seen.length === 1, { what: 'the own target to be busy' });
    assert.deepEqual(answered(await gateway.chat(chatBody('house'))), [200, 'default', 'cloud']);
    await gateway.gateway.close(0);
    await assert.rejects(waiting);
  });
});

describe('several endpoints of one model', () => {
  it('share conversations, and each turn of one goes where the first went', async () => {
    await using one = await startUpstream(answerJson());
    await using two = await startUpstream(answerJson());
    await using gateway = await startTestGateway(
      { models: { m: { backends: [{ apiBase: one.apiBase }, { apiBase: two.apiBase }] } }, keys },
      { policy: 'cache-affinity' },
    );
    const places = new Map<string, Set<number>>();
    for (let turns = 1; turns <= 3; turns++) {
      for (let conversation = 0; conversation < 12; conversation++) {
        const first = `question ${conversation}`;
        const before = one.seen.length;
        assert.equal((await gateway.chat(talk(first, turns))).status, 200);
        const place = one.seen.length - before;
        places.set(first, (places.get(first) ?? new Set()).add(place));
      }
    }
    assert.ok([...places.values()].every(({ size }) => size === 1));
    assert.ok(one.seen.length > 0 && two.seen.length > 0);
  });
});

describe('the latency of an endpoint', () => {
  it('is that of what it served: one that fails at once is not the quickest', async () => {
    await using failing = await startUpstream(busy);
    await using good = await startUpstream((request, response) => {
      setTimeout(() => answerJson()(request, response), 20);
    });
    const models = { m: { backends: [{ apiBase: failing.apiBase }, { apiBase: good.apiBase }] } };
    let nowMs = Date.now();
    await using gateway = await startTestGateway(
      { models, keys },
      { policy: 'lowest-latency', now: () => nowMs },
    );
    const sharedOut = async (): Promise<readonly number[]> => {
      const places: number[] = [];
      for (let conversation = 0; conversation < 10; conversation++) {
        const before = failing.seen.length;
        // It has cooled down.
        nowMs += 61_000;
        assert.equal((await gateway.chat(talk(`question ${conversation}`, 1))).status, 200);
        places.push(failing.seen.length - before);
      }
      return places;
    };
    const places = await sharedOut();
    assert.ok(places.includes(1));
    // Never measured, it is eligible like the other and no more.
    assert.deepEqual(await sharedOut(), places);
  });
});

describe('the model list', () => {
  const backends = [{ apiBase: 'http://127.0.0.1:9/v1' }];
  const given = {
    models: {
      small: { backends, contextLength: 1000 },
      large: { backends, contextLength: 8000 },
      plain: { backends },
      idle: { backends: [], contextLength: 10 },
    },
    frontendModels: {
      house: { rules: [{ targets: ['large'] }], defaults: ['pool', 'idle'] },
      short: { defaults: ['large'], maxModelLen: 500 },
      hall: { rules: [{ jump: 'house' }] },
      open: { defaults: ['plain'] },
      empty: { defaults: ['idle'] },
    },
    pools: { pool: { members: { small: 1 } } },
  };
  const listed = async (grants: readonly string[]) => {
    await using gateway = await startTestGateway({ ...given, keys: { key: { grants } } });
    const response = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: 'Bearer key' },
    });
    const { data } = JSON.parse(await response.text());
    return Object.fromEntries(
      data.map((model: Record<string, unknown>) => [model['id'], model['max_model_len'] ?? null]),
    );
  };

  it('has frontend models by what they reach, with the smallest window of it', async () => {
    assert.deepEqual(await listed(['model/*']), {
      hall: 1000,
      house: 1000,
      large: 8000,
      open: null,
      plain: null,
      short: 500,
      small: 1000,
    });
  });

  it('has those of which the caller may invoke any model', async () => {
    assert.deepEqual(await listed(['model/small']), { hall: 1000, house: 1000, small: 1000 });
    assert.deepEqual(await listed(['model/plain']), { open: null, plain: null });
    assert.deepEqual(await listed([]), {});
  });
});
