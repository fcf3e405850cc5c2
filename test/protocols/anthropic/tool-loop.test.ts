// Tests that tool calls keep their id, name and arguments over several turns.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { gathered, object, user } from '../given.ts';
import { bytesOf, called, ended, start } from './events.ts';
import { answered, sent, streamed } from './given.ts';

const turns = 5;
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
const calls = fc.array(fc.array(input, { minLength: 1, maxLength: 3 }), {
  minLength: turns,
  maxLength: turns,
});

type Call = Readonly<{ id: string; name: string; arguments: string }>;

for (const isStream of [false, true]) {
  it(`five turns ${isStream ? 'streamed' : 'whole'} keep every argument`, () =>
    fc.assert(
      fc.property(calls, (calls) => {
        const messages: object[] = [user('Go.')];
        for (const [turn, inputs] of calls.entries()) {
          const got = isStream ? callsOfStream(turn, inputs) : callsOfAnswer(turn, inputs);
          messages.push({ role: 'assistant', content: null, tool_calls: got.map(asToolCall) });
          for (const { id } of got)
            messages.push({ role: 'tool', tool_call_id: id, content: 'ok' });
        }
        assert.deepEqual(
          inputsOf(sent({ messages })),
          calls.map((inputs) => asSent(inputs)),
        );
      }),
      { numRuns: 50 },
    ));
}

const idOf = (turn: number, index: number): string => `toolu_${turn}_${index}`;
const nameOf = (index: number): string => `tool_${index}`;
/** JSON has no minus zero. */
const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const asToolCall = ({ id, ...described }: Call) => ({ id, type: 'function', function: described });

function callsOfAnswer(turn: number, inputs: readonly object[]): readonly Call[] {
  const content = inputs.map((input, index) => ({
    type: 'tool_use',
    id: idOf(turn, index),
    name: nameOf(index),
    input,
  }));
  const { choices } = answered(200, { content, stop_reason: 'tool_use' }).body;
  assert.ok(Array.isArray(choices));
  const { tool_calls: calls } = object(object(choices[0])['message']);
  assert.ok(Array.isArray(calls));
  return calls.map(asCall);
}

const asCall = ({ id, function: described }: { id: string; function: Omit<Call, 'id'> }): Call => ({
  id,
  ...described,
});

function callsOfStream(turn: number, inputs: readonly object[]): readonly Call[] {
  const events = inputs.flatMap((input, index) => {
    const text = JSON.stringify(input);
    const half = Math.floor(text.length / 2);
    const pieces = [text.slice(0, half), text.slice(half)];
    return called(index, [idOf(turn, index), nameOf(index)], ...pieces);
  });
  const { chunks } = streamed([bytesOf(start(), ...events, ...ended('tool_use'))]);
  return gathered(chunks).calls.map((call) => ({
    id: String(call.id),
    name: String(call.name),
    arguments: call.arguments,
  }));
}

/** The calls of each turn in order. Every result must name the call before it. */
function inputsOf({ messages }: Readonly<Record<string, unknown>>): readonly unknown[] {
  assert.ok(Array.isArray(messages));
  return messages.slice(1).flatMap(({ role, content }, at) => {
    if (role === 'user') return [];
    const results = messages[at + 2]?.content;
    for (const [index, block] of content.entries()) {
      assert.equal(block.id, idOf(at / 2, index));
      assert.equal(block.name, nameOf(index));
      assert.equal(results[index].tool_use_id, block.id);
    }
    return [content.map((block: { input: unknown }) => block.input)];
  });
}
