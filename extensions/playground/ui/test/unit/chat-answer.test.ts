// Tests that the stream of the playground is read correctly, independent of how it is split.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createAnswerReader, noAnswer } from '../../chat-answer.ts';
import type { ChatAnswer } from '../../chat-answer.ts';
import { createFrameReader } from '../../../../../ui/api/http/event-frames.ts';

const frame = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const head = (status: number, type = 'text/event-stream; charset=utf-8'): string =>
  frame('head', { status, headers: { 'content-type': type, 'x-gw-route': 'default' } });

/** Splits the text into pieces of this length. */
function read(text: string, size: number): ChatAnswer {
  const frames = createFrameReader();
  const answer = createAnswerReader();
  let last = noAnswer;
  for (let at = 0; at < text.length; at += size) {
    for (const one of frames(text.slice(at, at + size))) last = answer(one);
  }
  return last;
}

const chunk = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ delta, ...more }] })}\n\n`;

describe('the answer to a chat', () => {
  it('is the same however its text is cut', () => {
    const stream = [
      ': a comment\n\n',
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'Héllo' }),
      chunk({ content: ' you' }, { finish_reason: 'stop' }),
      'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n',
      'data: [DONE]\n\n',
    ].join('');
    const halves = [stream.slice(0, 71), stream.slice(71)].map((half) => frame('text', half));
    const whole = head(200) + halves.join('') + frame('end', {});
    const wanted = {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-gw-route': 'default' },
      text: 'Héllo you',
      reasoning: 'Hm',
      finishReason: 'stop',
      usage: { prompt: 3, completion: 2 },
      error: null,
      isWhole: true,
    };
    for (const size of [1, 2, 7, 64, whole.length]) assert.deepEqual(read(whole, size), wanted);
  });

  it("is an error in the gateway's own words where it refuses", () => {
    const refusal = JSON.stringify({ error: { message: 'unknown key', code: 'invalid_api_key' } });
    const told = head(401, 'application/json') + frame('text', refusal) + frame('end', {});
    const { status, error, isWhole } = read(told, 5);
    assert.deepEqual([status, error, isWhole], [401, 'unknown key', true]);
    const bare = head(502, 'text/html') + frame('text', '<h1>Bad</h1>') + frame('end', {});
    assert.equal(read(bare, 9).error, '<h1>Bad</h1>');
  });

  it('keeps what came before it broke off', () => {
    const told =
      head(200) + frame('text', chunk({ content: 'Hel' })) + frame('broken', { message: 'gone' });
    const { text, error, isWhole } = read(told, 4);
    assert.deepEqual([text, error, isWhole], ['Hel', 'gone', true]);
  });

  it('that comes in one piece is read as one', () => {
    const body = {
      choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    };
    const told =
      head(200, 'application/json') + frame('text', JSON.stringify(body)) + frame('end', {});
    const { text, usage, finishReason } = read(told, 3);
    assert.deepEqual([text, usage, finishReason], ['Hello', { prompt: 1, completion: 2 }, 'stop']);
  });
});
