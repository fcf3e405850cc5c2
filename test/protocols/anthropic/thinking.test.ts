// Tests that `reasoning_effort` becomes thinking parameters that the model accepts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { user } from '../given.ts';
import { sent } from './given.ts';

const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } });
const adaptive = (effort: string) => ({
  thinking: { type: 'adaptive' },
  output_config: { effort },
});

const asked = (chat: Readonly<Record<string, unknown>>, model: string) => {
  const { thinking, output_config } = sent(chat, { model });
  return {
    ...(thinking !== undefined && { thinking }),
    ...(output_config !== undefined && { output_config }),
  };
};

describe('reasoning_effort', () => {
  const cases: readonly (readonly [string, string, number, object])[] = [
    ['claude-opus-4-8', 'low', 1000, adaptive('low')],
    ['claude-opus-4-6', 'minimal', 1000, adaptive('low')],
    ['claude-sonnet-5', 'xhigh', 1000, adaptive('xhigh')],
    ['claude-fable-5', 'max', 1000, adaptive('max')],
    ['some-other-model', 'high', 1000, adaptive('high')],
    ['claude-opus-4-8', 'none', 1000, {}],
    ['claude-sonnet-4-5-20250929', 'medium', 10_000, budget(5000)],
    ['claude-haiku-4-5', 'low', 10_000, budget(2000)],
    ['claude-sonnet-4-20250514', 'high', 10_000, budget(8000)],
    ['claude-opus-4-1', 'minimal', 2000, budget(1024)],
    ['claude-opus-4-0', 'max', 100_000, budget(32_768)],
    ['claude-3-7-sonnet-latest', 'medium', 4000, budget(2000)],
    ['claude-haiku-4-5', 'high', 1024, {}],
    ['claude-haiku-4-5', 'none', 10_000, {}],
    ['claude-3-5-sonnet-20240620', 'high', 10_000, {}],
    ['claude-3-opus-20240229', 'high', 10_000, {}],
    ['claude-2.1', 'high', 10_000, {}],
  ];
  for (const [model, effort, maxTokens, expected] of cases) {
    it(`${effort} within ${maxTokens} tokens for ${model} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(
        asked({ reasoning_effort: effort, max_tokens: maxTokens }, model),
        expected,
      ));
  }

  it('omits sampling parameters while the model thinks, since others are rejected', () => {
    const sampled = { reasoning_effort: 'low', temperature: 0.2, top_p: 0.5, top_k: 3 };
    const { temperature, top_p, top_k } = sent(sampled);
    assert.deepEqual([temperature, top_p, top_k], [undefined, undefined, undefined]);
    assert.equal(sent({ ...sampled, reasoning_effort: 'none' })['temperature'], 0.2);
  });

  const tools = [{ type: 'function', function: { name: 'a' } }];

  it('is omitted if a call is forced', () => {
    const chat = { reasoning_effort: 'low', max_tokens: 9000, tools, tool_choice: 'required' };
    assert.deepEqual(asked(chat, 'claude-opus-4-8'), { output_config: { effort: 'low' } });
    assert.deepEqual(asked(chat, 'claude-sonnet-4-5'), {});
  });

  it('is omitted within a round of tools if the model requires its earlier thinking', () => {
    const call = { id: 'c', type: 'function', function: { name: 'a', arguments: '' } };
    const messages = [
      user('Hi'),
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ];
    const chat = { reasoning_effort: 'low', max_tokens: 9000, tools, messages };
    assert.deepEqual(asked(chat, 'claude-sonnet-4-5'), {});
    assert.deepEqual(asked(chat, 'claude-opus-4-8'), adaptive('low'));
    const next = [...messages, user('And?')];
    assert.deepEqual(asked({ ...chat, messages: next }, 'claude-sonnet-4-5'), {});
  });
});
