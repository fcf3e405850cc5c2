// Tests the dry run of routing over HTTP: where the published configuration would route a request.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { errorOf, member, testAdministrator } from '../../harness/admin/admin.ts';
import type { TestAnswer } from '../../harness/admin/admin.ts';
import { listedProvider } from '../../harness/upstream/model-list.ts';
import { labelledPrompts } from '../../harness/classifier/labelled-prompts.ts';

const path = '/admin/routing/dry-run';

/** Two models. Long prompts are denied, and streams are routed to the cellar model. */
async function house(test: TestContext) {
  const { send } = await testAdministrator(test);
  const { apiBase } = await listedProvider(test);
  await send('POST', '/admin/providers', { name: 'engine', api_base: apiBase });
  for (const [index, name] of ['small', 'large'].entries()) {
    await send('POST', '/admin/models', { name });
    await send('POST', `/admin/models/${index + 1}/backends`, { provider_id: 1 });
  }
  const make = async (body: unknown): Promise<void> =>
    assert.ok((await send('POST', '/admin/frontend-models', body)).status < 300);
  await make({ name: 'cellar', default_targets: ['large'] });
  await make({
    name: 'house',
    rules: [
      { action: 'deny', min_prompt_tokens: 1000, deny_status: 413, deny_message: 'too long' },
      { action: 'jump', stream: true, jump_to: 1, tag: 'streams' },
      { headers: { 'X-Tier': 'gold' }, days: [6], max_inflight_per_backend: 1, targets: ['large'] },
    ],
    default_targets: ['small', 'large'],
  });
  const ask = (question: object): Promise<TestAnswer> => send('POST', path, question);
  return { apiBase, ask, send };
}

function decision(answer: TestAnswer) {
  assert.deepEqual(member(answer.body, 'candidates'), names(answer));
  assert.equal(member(answer.body, 'matched_rule'), member(answer.body, 'rule_index'));
  const frontendModel = member(answer.body, 'frontend_model');
  assert.equal(member(answer.body, 'virtual_model'), frontendModel !== null);
  return {
    chain: names(answer),
    reason: member(answer.body, 'reason'),
    rule_index: member(answer.body, 'rule_index'),
    tag: member(answer.body, 'tag'),
    denied: member(answer.body, 'denied'),
  };
}

function names({ body }: TestAnswer): readonly unknown[] {
  const chain = member(body, 'chain');
  assert.ok(Array.isArray(chain));
  return chain.map((candidate) => member(candidate, 'model'));
}

const plain = { rule_index: null, tag: null, denied: null };

describe('a dry-run', () => {
  it('returns the chain, the deciding rule and the reason', async (t) => {
    const { apiBase, ask } = await house(t);
    const byDefault = await ask({ model: 'house' });
    assert.deepEqual(decision(byDefault), {
      ...plain,
      chain: ['small', 'large'],
      reason: 'default',
    });
    const [first] = [member(byDefault.body, 'chain')].flat();
    assert.deepEqual(first, {
      model_id: 1,
      model: 'small',
      provider: 'engine',
      api_base: apiBase,
      reason: 'default',
    });
    assert.deepEqual(decision(await ask({ model: 'house', streaming: true })), {
      ...plain,
      chain: ['large'],
      reason: 'jump:cellar>default',
      tag: 'streams',
    });
    const saturday = { headers: { 'x-TIER': 'gold' }, at: '2026-11-21T12:00:00Z' };
    assert.deepEqual(decision(await ask({ model: 'house', ...saturday })), {
      ...plain,
      chain: ['large'],
      reason: 'rule:2',
      rule_index: 2,
    });
    assert.deepEqual(decision(await ask({ model: 'small' })), {
      ...plain,
      chain: ['small'],
      reason: 'concrete',
    });
  });

  it('finds the class of a prompt, if no class is given', async (t) => {
    const { ask, send } = await house(t);
    for (const { name, examples } of labelledPrompts().slice(0, 2)) {
      await send('POST', '/admin/prompt-classes', { name, examples });
    }
    await send('POST', '/admin/frontend-models', {
      name: 'kitchen',
      rules: [{ class: 'cooking', targets: ['large'] }],
      default_targets: ['small'],
    });
    const cases = [
      ['how long does a chicken roast in the oven?', 'cooking', 'rule:0'],
      ['the compiler refuses my function, what is wrong with its types?', 'coding', 'default'],
      ['xqzt', null, 'default'],
    ] as const;
    for (const [prompt, className, reason] of cases) {
      const { body } = await ask({ model: 'kitchen', prompt });
      assert.deepEqual([member(body, 'class'), member(body, 'reason')], [className, reason]);
    }
    const { body } = await ask({ model: 'kitchen', class: 'cooking' });
    assert.equal(member(body, 'class'), 'cooking');
    const both = await ask({ model: 'kitchen', class: 'cooking', prompt: 'bake' });
    assert.equal(errorOf(both).at(-1), 'prompt');
  });

  it('answers a deny with its status and message and an empty chain', async (t) => {
    const { ask } = await house(t);
    assert.deepEqual(decision(await ask({ model: 'house', prompt_tokens: 1000 })), {
      ...plain,
      chain: [],
      reason: 'rule:0',
      rule_index: 0,
      denied: { status: 413, message: 'too long' },
    });
  });

  it('returns only models that the given principal may use', async (t) => {
    const { ask, send } = await house(t);
    await send('POST', '/admin/roles', { name: 'narrow' });
    const grant = { verb: 'model:invoke', resource: 'model/large' };
    await send('POST', '/admin/roles/narrow/permissions', grant);
    const made = await send('POST', '/admin/principals', { name: 'caller' });
    const id = member(made.body, 'id');
    const asked = { model: 'house', principal_id: id };
    assert.deepEqual(member((await ask(asked)).body, 'denied'), {
      status: 403,
      message: 'the caller has no permission to invoke model small',
    });
    await send('POST', `/admin/principals/${String(id)}/roles`, { role: 'narrow' });
    assert.deepEqual(names(await ask(asked)), ['large']);
    assert.deepEqual(member((await ask({ model: 'none' })).body, 'denied'), {
      status: 404,
      message: 'model "none" is not served',
    });
  });

  it('returns the result of each rule, and writes nothing', async (t) => {
    const { ask, send } = await house(t);
    const before = (await send('GET', '/admin/audit')).body;
    const { body } = await ask({ model: 'house', streaming: true, at: '2026-11-20T12:00:00Z' });
    const rules = [member(body, 'rules')].flat();
    assert.deepEqual(
      rules.map((rule) => [
        member(rule, 'rule_index'),
        member(rule, 'matches'),
        member(rule, 'decides'),
        member(rule, 'failed'),
      ]),
      [
        [0, false, false, ['min_prompt_tokens']],
        [1, true, true, []],
        [2, false, false, ['days', 'headers.x-tier']],
      ],
    );
    assert.deepEqual((await send('GET', '/admin/audit')).body, before);
  });

  it('refuses unknown principals and classes', async (t) => {
    const { ask } = await house(t);
    const wrong = async (question: object) => errorOf(await ask(question));
    const model = 'house';
    assert.deepEqual(await wrong({}), [400, 'invalid', 'model']);
    assert.deepEqual(await wrong({ model, principal_id: 99 }), [400, 'invalid', 'principal_id']);
    const long = 'x'.repeat(501);
    assert.deepEqual(await wrong({ model: long }), [400, 'invalid', 'model']);
    assert.deepEqual(await wrong({ model, class: long }), [400, 'invalid', 'class']);
    assert.deepEqual(await wrong({ model, class: 'none' }), [400, 'invalid', 'class']);
    assert.deepEqual(await wrong({ model, prompt_tokens: -1 }), [400, 'invalid', 'prompt_tokens']);
    assert.deepEqual(await wrong({ model, at: 'noon' }), [400, 'invalid', 'at']);
    assert.deepEqual(await wrong({ model, stream: true }), [400, 'invalid', 'stream']);
  });
});
