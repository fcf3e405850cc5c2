// Tests the translation of functions and tool choices to the Messages API.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { refused, sent } from './given.ts';

const tool = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} }, ...more },
});
const named = { type: 'function', function: { name: 'a' } };
const allowed = (mode: string, ...names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
});
const single = { parallel_tool_calls: false };

describe('tools', () => {
  it('keep name, description and schema, which is always of an object', () => {
    const { tools } = sent({
      tools: [
        tool('plain', { description: 'Does it.' }),
        { type: 'function', function: { name: 'bare' } },
      ],
    });
    assert.deepEqual(tools, [
      {
        name: 'plain',
        description: 'Does it.',
        input_schema: { type: 'object', properties: {} },
      },
      { name: 'bare', input_schema: { type: 'object' } },
    ]);
  });

  it('that are strict have closed schemas', () => {
    const inner = { type: 'object', properties: { b: { type: 'string' } } };
    const parameters = { type: 'object', properties: { a: { type: 'array', items: inner } } };
    const { tools } = sent({ tools: [tool('exact', { strict: true, parameters })] });
    assert.deepEqual(tools, [
      {
        name: 'exact',
        strict: true,
        input_schema: {
          type: 'object',
          additionalProperties: false,
          properties: { a: { type: 'array', items: { ...inner, additionalProperties: false } } },
        },
      },
    ]);
  });

  const choices: readonly (readonly [object, object | undefined, string])[] = [
    [{}, undefined, 'a b c'],
    [{ tool_choice: 'auto' }, { type: 'auto' }, 'a b c'],
    [{ tool_choice: 'none' }, { type: 'none' }, 'a b c'],
    [{ tool_choice: 'required' }, { type: 'any' }, 'a b c'],
    [{ tool_choice: named }, { type: 'tool', name: 'a' }, 'a b c'],
    [single, { type: 'auto', disable_parallel_tool_use: true }, 'a b c'],
    [
      { ...single, tool_choice: 'required' },
      { type: 'any', disable_parallel_tool_use: true },
      'a b c',
    ],
    [
      { ...single, tool_choice: named },
      { type: 'tool', name: 'a', disable_parallel_tool_use: true },
      'a b c',
    ],
    [{ ...single, tool_choice: 'none' }, { type: 'none' }, 'a b c'],
    [{ parallel_tool_calls: true }, undefined, 'a b c'],
    [{ tool_choice: allowed('auto', 'b') }, { type: 'auto' }, 'b'],
    [{ tool_choice: allowed('required', 'a', 'c') }, { type: 'any' }, 'a c'],
    [{ tool_choice: allowed('required', 'c') }, { type: 'tool', name: 'c' }, 'a b c'],
  ];
  for (const [choice, expected, offered] of choices) {
    it(`are called as ${JSON.stringify(choice)} says`, () => {
      const { tools, tool_choice } = sent({
        tools: ['a', 'b', 'c'].map((one) => tool(one)),
        ...choice,
      });
      assert.deepEqual(tool_choice, expected);
      assert.ok(Array.isArray(tools));
      assert.equal(tools.map(({ name }) => name).join(' '), offered);
    });
  }

  it('are chosen from nowhere when there are none', () => {
    assert.equal(sent({ tool_choice: 'auto', tools: [] })['tool_choice'], undefined);
    assert.equal(refused({ tool_choice: 'required' }).param, 'tool_choice');
    assert.match(refused({ tools: [tool('b')], tool_choice: named }).message, /names a, which/);
  });
});
