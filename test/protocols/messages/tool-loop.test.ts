// Tests five turns of tool calls, in every form of answer: each call comes back unchanged in the
// next request.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { isObject } from '../../../src/protocols/json.ts';
import { object, user } from '../given.ts';
import {
  answered,
  callPiece,
  chunk,
  completion,
  done,
  framesOf,
  gathered,
  sent,
  streamed,
} from './given.ts';

const turns = 5;
type Call = Readonly<{ id: string; name: string; arguments: string }>;

const whole = (calls: readonly Call[]) => {
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  const { content } = answered(200, completion({ content: null, tool_calls })).body;
  return Array.isArray(content) ? content : [];
};

const inPieces = (calls: readonly Call[]) => {
  const pieces = calls.flatMap(({ id, name, arguments: given }, index) => [
    chunk(callPiece(index, '', { id, name })),
    ...[given.slice(0, 3), given.slice(3)].map((part) => chunk(callPiece(index, part))),
  ]);
  const { events } = streamed([framesOf(...pieces, chunk({}, 'tool_calls'), done)]);
  return gathered(events).blocks.map(({ id, name, input }) => {
    return { type: 'tool_use', id, name, input: JSON.parse(String(input)) };
  });
};

const call = fc.record({
  name: fc.constantFrom('weather', 'time'),
  input: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ noUnicodeString: false })),
});

it('a loop of tools comes back with the same names, ids and arguments', () => {
  const loop = fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), {
    minLength: turns,
    maxLength: turns,
  });
  fc.assert(
    fc.property(loop, fc.constantFrom(whole, inPieces), (loop, told) => {
      const messages: object[] = [user('Go')];
      const called: Call[][] = [];
      for (const [turn, calls] of loop.entries()) {
        const made = calls.map(({ name, input }, index) => ({
          id: `call_${turn}_${index}`,
          name,
          arguments: JSON.stringify(input),
        }));
        called.push(made);
        messages.push({ role: 'assistant', content: told(made) });
        messages.push(
          user(
            made.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })),
          ),
        );
      }
      assert.deepEqual(callsIn(sent({ messages })), called);
    }),
    { numRuns: 60 },
  );
});

function callsIn(body: Readonly<Record<string, unknown>>): readonly (readonly Call[])[] {
  const messages: readonly unknown[] = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.filter(isObject).flatMap(({ tool_calls: calls }) => {
    if (!Array.isArray(calls)) return [];
    return [
      calls.map((one: unknown) => {
        const { id, function: described } = object(one);
        const { name, arguments: given } = object(described);
        return { id: String(id), name: String(name), arguments: String(given) };
      }),
    ];
  });
}
