// Tests the translation of complete answers to chat completions, and of errors with their status.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { reportOf } from '../../harness/usage-report.ts';
import { object } from '../given.ts';
import { answer, called, textPart, signed, stopped, thought } from './events.ts';
import { answered } from './given.ts';

const choiceOf = (body: unknown, options = {}) => {
  const { choices } = answered(200, body, options).body;
  assert.ok(Array.isArray(choices));
  return object(choices[0]);
};
const messageOf = (...parts: readonly Readonly<Record<string, unknown>>[]) =>
  object(choiceOf(answer(parts, stopped))['message']);
const call = (id: string, name: string, given: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: given },
  ...more,
});
const plain = { role: 'assistant', content: null, refusal: null };

it('an answer of text is a completion', () => {
  const usage = { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 };
  const completion = answered(200, answer([textPart('Hel'), textPart('lo.')], stopped, usage));
  assert.equal(completion.status, 200);
  assert.deepEqual(completion.body, {
    id: 'answer-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gemini-answering',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello.', refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
  });
});

const billedUsage = { promptTokenCount: 5, candidatesTokenCount: 7 };
const image = (more: object = {}) => ({
  inlineData: { mimeType: 'image/png', data: 'AA' },
  ...more,
});
const grounding = (...webSearchQueries: readonly string[]) => ({
  groundingMetadata: { webSearchQueries, groundingChunks: [{ web: { uri: 'https://a' } }] },
});
const usageOf = (parts: Parameters<typeof answer>[0], more: object, modelVersion: string) =>
  answered(200, { ...answer(parts, { ...stopped, ...more }, billedUsage), modelVersion }).usage;
const searches = (web_search: number) => reportOf(5, 7, { serverToolCalls: { web_search } });

describe('what is billed besides tokens', () => {
  it('counts generated images, without drafts', () => {
    const parts = [textPart('Here'), image(), image({ thought: true }), image()];
    assert.deepEqual(
      usageOf(parts, {}, 'gemini-3-pro-image'),
      reportOf(5, 7, { units: { output_images: 2 } }),
    );
  });

  it('counts each query of Gemini 3, and one search of older models', () => {
    const searched = grounding('a', 'b', 'a');
    assert.deepEqual(usageOf([textPart('Hi')], searched, 'gemini-3-flash-preview'), searches(2));
    assert.deepEqual(usageOf([textPart('Hi')], searched, 'gemini-2.5-flash'), searches(1));
    assert.deepEqual(usageOf([textPart('Hi')], grounding(), 'gemini-2.5-flash'), reportOf(5, 7));
  });

  it('counts an answer that used a map', () => {
    const maps = { groundingMetadata: { groundingChunks: [{ maps: { uri: 'https://a' } }] } };
    assert.deepEqual(
      usageOf([textPart('Hi')], maps, 'gemini-2.5-flash'),
      reportOf(5, 7, { serverToolCalls: { google_maps: 1 } }),
    );
  });
});

it('an answer without a name is called by the request, and by the model asked for', () => {
  const { id, model, usage } = answered(200, { candidates: [{ finishReason: 'STOP' }] }).body;
  assert.deepEqual([id, model, usage], ['chatcmpl-request-1', 'gemini-asked', undefined]);
});

describe('parts', () => {
  it('of text and of thought are joined, each kind by itself', () =>
    assert.deepEqual(
      messageOf(thought('Hm. '), textPart('One. '), thought('So.'), textPart('Two.')),
      {
        ...plain,
        content: 'One. Two.',
        reasoning_content: 'Hm. So.',
      },
    ));

  it('of calls have ids of their own, their arguments as JSON, and their signature', () =>
    assert.deepEqual(
      messageOf(
        textPart(''),
        signed(called('weather', { city: 'Paris', days: [1] }), 'c2ln'),
        called('weather', {}),
        called('time', undefined, { id: '96c1su3s' }),
      ),
      {
        ...plain,
        tool_calls: [
          call('call_answer-1_0', 'weather', '{"city":"Paris","days":[1]}', {
            extra_content: { google: { thought_signature: 'c2ln' } },
          }),
          call('call_answer-1_1', 'weather', '{}'),
          call('96c1su3s', 'time', '{}'),
        ],
      },
    ));

  it('of text that is signed hand the signature on, the last of several', () =>
    assert.deepEqual(
      messageOf(
        signed(thought('Hm'), 'AAAA'),
        signed(textPart('So '), 'BBBB'),
        signed(textPart(''), 'c2ln'),
      ),
      {
        ...plain,
        content: 'So ',
        reasoning_content: 'Hm',
        extra_content: { google: { thought_signature: 'c2ln' } },
      },
    ));

  it('that have no place in a chat are passed over', () =>
    assert.deepEqual(
      messageOf(
        { executableCode: { language: 'PYTHON', code: 'x' } },
        { codeExecutionResult: { output: 'x' } },
        { tomorrow: 1 },
        textPart('Found.'),
      ),
      { ...plain, content: 'Found.' },
    ));

  it('keep the digits of whole numbers beyond a double', () => {
    const body =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{"id":12345678901234567890}}}]}}]}';
    assert.match(JSON.stringify(answered(200, body).body), /\{\\"id\\":12345678901234567890\}/);
  });

  it('of more than one call are one for a client that takes one at a time', () => {
    const body = answer([called('a', {}), called('b', {})], stopped);
    const { message } = choiceOf(body, { singleToolCall: true });
    assert.deepEqual(object(message)['tool_calls'], [call('call_answer-1_0', 'a', '{}')]);
  });
});

it('the id of a call fits every vendor, whatever the answer is called', () => {
  const body = { ...answer([called('f')]), responseId: `é/${'x'.repeat(100)}+y=` };
  const { tool_calls: calls } = object(choiceOf(body)['message']);
  assert.ok(Array.isArray(calls));
  assert.match(calls[0].id, /^[a-zA-Z0-9_-]{10,40}$/);
});

const reason = (given: object) => choiceOf(answer([called('f', {})], given))['finish_reason'];

describe('a reason to finish', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['TOMORROW', 'stop'],
    [undefined, 'stop'],
  ];
  for (const [finishReason, expected] of cases) {
    it(`${String(finishReason)} is ${expected}`, () =>
      assert.equal(choiceOf(answer([textPart('x')], { finishReason }))['finish_reason'], expected));
  }

  it('is tool_calls where there is one, but for an answer that was cut', () => {
    assert.equal(reason(stopped), 'tool_calls');
    assert.equal(reason({}), 'tool_calls');
    assert.equal(reason({ finishReason: 'MAX_TOKENS' }), 'length');
  });
});

describe('what is blocked', () => {
  it('of an answer says so', () => {
    const blocked = { content: {}, finishReason: 'SAFETY' };
    assert.deepEqual(choiceOf({ candidates: [blocked] })['message'], {
      ...plain,
      refusal: 'the answer was blocked: SAFETY',
    });
    const told = { ...blocked, finishMessage: 'Not this.' };
    assert.equal(object(choiceOf({ candidates: [told] })['message'])['refusal'], 'Not this.');
  });

  it('of a prompt is a completion that says so', () => {
    const promptFeedback = { blockReason: 'PROHIBITED_CONTENT' };
    const usageMetadata = { promptTokenCount: 14, totalTokenCount: 14 };
    const { status, usage } = answered(200, { promptFeedback, usageMetadata });
    assert.deepEqual([status, usage?.promptTokens], [200, 14]);
    const { message, finish_reason: reason } = choiceOf({ promptFeedback });
    assert.deepEqual(message, { ...plain, refusal: 'the prompt was blocked: PROHIBITED_CONTENT' });
    assert.equal(reason, 'content_filter');
    const told = { promptFeedback: { ...promptFeedback, blockReasonMessage: 'Not this.' } };
    assert.equal(object(choiceOf(told)['message'])['refusal'], 'Not this.');
  });
});

describe('usage', () => {
  it('counts thoughts with the answer, and the vendor’s tools with the prompt', () => {
    const usage = {
      promptTokenCount: 32,
      cachedContentTokenCount: 8,
      candidatesTokenCount: 41,
      thoughtsTokenCount: 47,
      toolUsePromptTokenCount: 2395,
      totalTokenCount: 2515,
    };
    const completion = answered(200, answer([textPart('x')], stopped, usage));
    const counted = reportOf(2427, 88, { cacheReadTokens: 8, reasoningTokens: 47 });
    assert.deepEqual(completion.usage, counted);
    assert.deepEqual(completion.body['usage'], {
      prompt_tokens: 2427,
      completion_tokens: 88,
      total_tokens: 2515,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 47 },
    });
  });

  it('that counts nothing is none', () =>
    assert.equal(
      answered(200, answer([textPart('x')], stopped, { trafficType: 'x' })).usage,
      null,
    ));
});

const error = (more: object) => ({ error: { code: 400, message: 'No.', ...more } });

const told = (status: number, body: unknown) => object(answered(status, body).body['error']);

describe('an error', () => {
  it('keeps its status, its message and its kind, in the envelope of the gateway', () => {
    const body = error({ code: 429, status: 'RESOURCE_EXHAUSTED' });
    assert.equal(answered(429, body).status, 429);
    assert.deepEqual(told(429, body), {
      message: 'No.',
      type: 'RESOURCE_EXHAUSTED',
      param: null,
      code: null,
      request_id: 'request-1',
    });
  });

  it('tells by its code that the key was wrong, which is a 400 there', () => {
    const details = [{ '@type': 'x' }, { '@type': 'y', reason: 'API_KEY_INVALID' }];
    assert.equal(
      told(400, error({ status: 'INVALID_ARGUMENT', details }))['code'],
      'API_KEY_INVALID',
    );
  });

  it('in an array is read too', () =>
    assert.equal(told(400, [error({ status: 'INVALID_ARGUMENT' })])['type'], 'INVALID_ARGUMENT'));

  it('page of a load balancer is reported by its status', () => {
    for (const body of ['<html>', '', 'null', '[]', '{"error":"x"}']) {
      assert.equal(told(503, body)['message'], 'the upstream answered 503');
    }
  });

  it('under a 200 has the status that it names, or that its kind means', () => {
    assert.equal(answered(200, error({ code: 503 })).status, 503);
    assert.equal(answered(200, error({ code: 7, status: 'PERMISSION_DENIED' })).status, 403);
    assert.equal(answered(200, error({ code: 'x' })).status, 502);
  });

  it('is truncated to the length of a log line', () =>
    assert.equal(
      String(told(400, error({ message: 'x'.repeat(10_000) }))['message']).length,
      4096,
    ));
});

it('an answer that cannot be read is the upstream’s fault', () => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  const bodies = [
    '',
    '[]',
    '{}',
    '{"candidates":[]}',
    '{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}',
    `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deep}}}]}}]}`,
    JSON.stringify(answer([called('f', {}, { willContinue: true })])),
  ];
  for (const body of bodies) {
    const { status, usage, body: told } = answered(200, body);
    assert.deepEqual([status, usage], [502, null], body.slice(0, 80));
    assert.equal(object(told['error'])['code'], 'unreadable_answer');
  }
});
