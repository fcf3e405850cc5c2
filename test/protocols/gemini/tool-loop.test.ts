// Tests that tool calls keep their name, arguments and signature over several turns.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { isObject } from '../../../src/protocols/json.ts';
import { object, user } from '../given.ts';
import { answer, bytesOf, called, textPart, signed, stopped } from './events.ts';
import type { Event } from './events.ts';
import { answered, sent, streamed } from './given.ts';

const turns = 5;
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
const calls = fc.array(fc.array(input, { minLength: 1, maxLength: 3 }), {
  minLength: turns,
  maxLength: turns,
});

type ToolCall = Readonly<{ id: string }> & Readonly<Record<string, unknown>>;

for (const isStream of [false, true]) {
  it(`five turns ${isStream ? 'streamed' : 'whole'} keep every argument and every signature`, () =>
    fc.assert(
      fc.property(calls, (calls) => {
        const messages: object[] = [user('Go.')];
        for (const [turn, inputs] of calls.entries()) {
          const whole = answerOf(turn, inputs);
          const got = isStream ? callsOfStream(whole) : callsOfAnswer(whole);
          messages.push({ role: 'assistant', content: null, tool_calls: got });
          for (const { id } of got.toReversed())
            messages.push({ role: 'tool', tool_call_id: id, content: id });
        }
        const expected = calls.map((inputs, turn) => partsOf(turn, asSent(inputs)));
        assert.deepEqual(partsSent(sent({ messages })), expected);
      }),
      { numRuns: 50 },
    ));
}

/** JSON has no minus zero. */
const asSent = (inputs: readonly object[]): readonly object[] => JSON.parse(JSON.stringify(inputs));

/** Two calls of one function in every turn. The first is signed. */
const partsOf = (turn: number, inputs: readonly object[]) =>
  inputs.map((input, index) => {
    const part = called(`tool_${turn}`, input);
    return index === 0 ? signed(part, `signature-${turn}`) : part;
  });

const answerOf = (turn: number, inputs: readonly object[]): Event => ({
  ...answer(partsOf(turn, inputs), stopped),
  responseId: `answer-${turn}`,
});

function callsOfAnswer(whole: Event): readonly ToolCall[] {
  const { choices } = answered(200, whole).body;
  assert.ok(Array.isArray(choices));
  const { tool_calls: calls } = object(object(choices[0])['message']);
  assert.ok(Array.isArray(calls));
  return calls;
}

/** Every call comes complete, in one delta. */
function callsOfStream(whole: Event): readonly ToolCall[] {
  const { chunks } = streamed([bytesOf(whole, answer([textPart('')], stopped))]);
  return chunks.flatMap((chunk) => {
    const [choice] = isObject(chunk) && Array.isArray(chunk['choices']) ? chunk['choices'] : [];
    return choice?.delta.tool_calls ?? [];
  });
}

/**
 * The model's parts of each turn, without ids. Every result must be at the position of its call.
 */
function partsSent({ contents }: Readonly<Record<string, unknown>>): readonly unknown[] {
  assert.ok(Array.isArray(contents));
  return contents.flatMap(({ role, parts }, at) => {
    if (role === 'user') return [];
    const results = contents[at + 1].parts;
    assert.equal(results.length, parts.length);
    return [
      parts.map((part: { functionCall: { id: string; name: string } }, index: number) => {
        const { id, ...described } = part.functionCall;
        const response = { output: id };
        assert.deepEqual(results[index].functionResponse, { id, name: described.name, response });
        return { ...part, functionCall: described };
      }),
    ];
  });
}
