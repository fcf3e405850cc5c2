// Tests through real sockets that usage rows count what answers do not report in their usage:
// generated images, calls of tools that the provider ran, seconds and characters.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { startTestGateway } from '../../harness/gateway/gateway.ts';
import type { GivenSnapshot } from '../../harness/gateway/snapshot.ts';
import { rowOf } from '../../harness/gateway/translated.ts';
import { answerJson, completion, startUpstream } from '../../harness/upstream/upstream.ts';
import type { Script } from '../../harness/upstream/upstream.ts';
import { answerEvents } from '../../harness/upstream/vendors.ts';
import * as gemini from '../../protocols/gemini/events.ts';

const bytesOf = (...frames: readonly string[]): Buffer => Buffer.from(frames.join(''));

type Model = GivenSnapshot['models'][string];
type Request = Readonly<{
  path: string;
  body?: object;
  form?: FormData;
  model?: Partial<Model>;
  protocol?: string;
}>;

/** The usage row of a request whose upstream answers so. */
async function rowFor(script: Script, { path, body, form, model, protocol }: Request) {
  await using upstream = await startUpstream(script);
  const { apiBase } = upstream;
  const backend = { apiBase, upstreamModel: 'up', ...(protocol !== undefined && { protocol }) };
  await using gateway = await startTestGateway({
    models: { m: { backends: [backend], ...model } },
    keys: { key: {} },
  });
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      authorization: 'Bearer key',
      ...(form === undefined && { 'content-type': 'application/json' }),
    },
    body: form ?? JSON.stringify({ model: 'm', ...body }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return rowOf(gateway);
}

const png = 'A'.repeat(50_000);
const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: png, ...more })}\n\n`;
const images = { created: 1, data: [{ b64_json: png }, { b64_json: png }] };
const uploaded = () => {
  const form = new FormData();
  form.set('model', 'm');
  form.set('prompt', 'a cat');
  form.set('image', new Blob(['png']), 'a.png');
  return form;
};
const speech: Script = (_, response) => {
  response.writeHead(200, { 'content-type': 'audio/mpeg' });
  response.end(Buffer.alloc(1000));
};
const counts = (found: Awaited<ReturnType<typeof rowFor>>) => ({
  prompt_tokens: found.prompt_tokens,
  completion_tokens: found.completion_tokens,
  units: found.units,
  server_tool_calls: found.server_tool_calls,
  usage_reported: found.usage_reported,
});
const counted = (more: object) => ({
  prompt_tokens: 0,
  completion_tokens: 0,
  units: null,
  server_tool_calls: null,
  usage_reported: true,
  ...more,
});

describe('generated images', () => {
  const two = { units: { output_images: 2 } };

  it('are counted in pixels too if the request names their size', async () => {
    const body = { prompt: 'a cat', size: '1024x1536' };
    const row = await rowFor(answerJson(images), { path: '/v1/images/generations', body });
    const units = { output_images: 2, output_pixels: 2 * 1024 * 1536 };
    assert.deepEqual(counts(row), counted({ units }));
  });

  it('are counted on the routes of images, without usage', async () => {
    const asked = { path: '/v1/images/generations', body: { prompt: 'a cat' } };
    assert.deepEqual(counts(await rowFor(answerJson(images), asked)), counted(two));
    const edited = { path: '/v1/images/edits', form: uploaded() };
    assert.deepEqual(counts(await rowFor(answerJson(images), edited)), counted(two));
  });

  it('are counted in addition to tokens', async () => {
    const usage = {
      input_tokens: 50,
      output_tokens: 272,
      input_tokens_details: { text_tokens: 10, image_tokens: 40 },
    };
    const asked = { path: '/v1/images/generations', body: { prompt: 'a cat' } };
    const row = await rowFor(answerJson({ ...images, usage }), asked);
    assert.deepEqual(counts(row), counted({ ...two, prompt_tokens: 50, completion_tokens: 272 }));
    assert.equal(row.input_image_tokens, 40);
  });

  it('are counted in a stream', async () => {
    const stream = answerEvents(
      bytesOf(
        event('image_generation.partial_image'),
        event('image_generation.completed', { usage: { input_tokens: 5, output_tokens: 272 } }),
      ),
    );
    const body = { prompt: 'a cat', stream: true, partial_images: 1 };
    const row = await rowFor(stream, { path: '/v1/images/generations', body });
    const expected = { prompt_tokens: 5, completion_tokens: 272, units: { output_images: 1 } };
    assert.deepEqual(counts(row), counted(expected));
  });

  it('are counted in a chat whose model has a price for them', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
    const answer = answerJson({
      ...completion,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Here', images: [image] } }],
    });
    const asked = { path: '/v1/chat/completions', body: { messages: [] } };
    const priced: Partial<Model> = { prices: [1, 1], priceCard: { per_output_image: 40_000 } };
    assert.deepEqual((await rowFor(answer, { ...asked, model: priced })).units, {
      output_images: 1,
    });
    assert.equal((await rowFor(answer, asked)).units, null);
  });

  it('are counted in answers of Gemini, streamed or not', async () => {
    const part = { inlineData: { mimeType: 'image/png', data: 'AA' } };
    const usage = { promptTokenCount: 5, candidatesTokenCount: 1_290 };
    const grounding = { groundingMetadata: { webSearchQueries: ['a', 'b'] } };
    const answered = gemini.answer([part], { ...gemini.stopped, ...grounding }, usage);
    const expected = {
      prompt_tokens: 5,
      completion_tokens: 1_290,
      units: { output_images: 1 },
      server_tool_calls: { web_search: 2 },
    };
    const messages = [{ role: 'user', content: 'a cat' }];
    const path = '/v1/chat/completions';
    const asked = { path, protocol: 'gemini', body: { messages } };
    assert.deepEqual(counts(await rowFor(answerJson(answered), asked)), counted(expected));
    const stream = answerEvents(gemini.bytesOf(answered));
    const streamed = { ...asked, body: { messages, stream: true } };
    assert.deepEqual(counts(await rowFor(stream, streamed)), counted(expected));
  });
});

describe('calls of tools that the provider ran', () => {
  const response = {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'a' } },
      { type: 'web_search_call', status: 'completed', action: { type: 'open_page', url: 'b' } },
      { type: 'file_search_call', status: 'completed', queries: ['c'], results: null },
      // A long answer: only its end is kept.
      { type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(20_000) }] },
    ],
    usage: { input_tokens: 100, output_tokens: 20 },
  };
  const expected = counted({
    prompt_tokens: 100,
    completion_tokens: 20,
    server_tool_calls: { web_search: 1, file_search: 1 },
  });
  const path = '/v1/responses';

  it('are counted in a Responses answer, streamed or not', async () => {
    const whole = await rowFor(answerJson(response), { path, body: { input: 'Hi' } });
    assert.deepEqual(counts(whole), expected);
    const frames = [
      { type: 'response.output_item.done', item: response.output[0] },
      { type: 'response.completed', response },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const body = { input: 'Hi', stream: true };
    assert.deepEqual(
      counts(await rowFor(answerEvents(bytesOf(...frames)), { path, body })),
      expected,
    );
  });

  it('are one search for a chat that cites the web', async () => {
    const citation = { type: 'url_citation', url_citation: { url: 'https://example.com' } };
    const message = { role: 'assistant', content: 'Hi', annotations: [citation, citation] };
    const answer = answerJson({ ...completion, choices: [{ index: 0, message }] });
    const row = await rowFor(answer, { path: '/v1/chat/completions', body: { messages: [] } });
    assert.deepEqual(row.server_tool_calls, { web_search: 1 });
  });
});

describe('a chat that cites the web', () => {
  const citation = { type: 'url_citation', url_citation: { url: 'https://example.com' } };
  const cited = { role: 'assistant', content: 'Hi', annotations: [citation] };
  const plain = { role: 'assistant', content: '{"annotations":[{"type":"url_citation"}]}' };
  const path = '/v1/chat/completions';
  const callsOf = async (answer: object, body: object = {}) => {
    const script = answerJson({ ...completion, ...answer });
    return (await rowFor(script, { path, body: { messages: [], ...body } })).server_tool_calls;
  };

  it('is a search of the size that the request names', async () => {
    const answer = { choices: [{ index: 0, message: cited }] };
    const sized = (size: string) =>
      callsOf(answer, { web_search_options: { search_context_size: size } });
    assert.deepEqual(await sized('high'), { web_search_high: 1 });
    assert.deepEqual(await sized('huge'), { web_search: 1 });
  });

  it('is told from an answer that repeats metadata of the client', async () => {
    const metadata = { type: 'url_citation', url_citation: 'x', annotations: 'url_citation' };
    assert.equal(await callsOf({ choices: [{ index: 0, message: plain }], metadata }), null);
  });

  it('is found if its list of citations begins before the end that is kept', async () => {
    const long = { ...citation, title: 'x'.repeat(200) };
    const message = { ...cited, annotations: Array.from({ length: 100 }, () => long) };
    assert.deepEqual(await callsOf({ choices: [{ index: 0, message }] }), { web_search: 1 });
  });
});

describe('audio', () => {
  it('has the seconds of a transcription', async () => {
    const form = uploaded();
    const usage = { type: 'duration', seconds: 8.4 };
    const answer = answerJson({ text: 'Hi', usage });
    const row = await rowFor(answer, { path: '/v1/audio/transcriptions', form });
    assert.deepEqual(counts(row), counted({ units: { input_seconds: 9 } }));
  });

  it('has the characters of a text that is spoken', async () => {
    const body = { input: 'Grüße 👋', voice: 'alloy' };
    const row = await rowFor(speech, { path: '/v1/audio/speech', body });
    assert.deepEqual(counts(row), counted({ units: { input_characters: 7 } }));
  });
});
