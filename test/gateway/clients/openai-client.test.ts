// The client library that most callers use works against the gateway as it does against an upstream:
// it gets the same answers, and the upstream sees the same bytes but for the model's name.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

import { OpenAI, toFile } from 'openai';

import { startTestGateway } from '../../harness/gateway/gateway.ts';
import {
  answerJson,
  answerStream,
  completion,
  frame,
  startUpstream,
  usage,
} from '../../harness/upstream/upstream.ts';
import type { Script, SeenRequest } from '../../harness/upstream/upstream.ts';

const messages = [{ role: 'user', content: 'Hi' }] as const;

const clientOf = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'key', maxRetries: 0 });

async function start(script: Script) {
  const upstream = await startUpstream(script);
  const backends = [{ apiBase: upstream.apiBase, upstreamModel: 'org/model' }];
  const gateway = await startTestGateway({ models: { m: { backends } }, keys: { key: {} } });
  return {
    upstream,
    gateway,
    client: clientOf(`${gateway.url}/v1`),
    direct: clientOf(upstream.apiBase),
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** A form's boundary is another each time. */
function bodyOf(seen: SeenRequest | undefined): string {
  const boundary = /boundary=(.+)$/.exec(seen?.headers['content-type'] ?? '')?.[1];
  const text = seen?.body.toString('latin1') ?? '';
  return boundary === undefined ? text : text.replaceAll(boundary, 'BOUNDARY');
}

/** Asks an upstream with and without the gateway between them, and answers what came through it. */
async function asWithout<Answer>(
  script: Script,
  path: string,
  ask: (client: OpenAI, model: string) => Promise<Answer>,
): Promise<Answer> {
  await using session = await start(script);
  const expected = await ask(session.direct, 'org/model');
  const answer = await ask(session.client, 'm');
  assert.deepEqual(answer, expected);
  const [without, through] = session.upstream.seen;
  assert.equal(without?.path, path);
  assert.equal(through?.path, path);
  assert.equal(bodyOf(through), bodyOf(without));
  assert.ok(bodyOf(through).includes('org/model'));
  return answer;
}

async function all<Item>(stream: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];
const toolDelta = (call: Readonly<Record<string, unknown>>): string =>
  frame({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'upstream',
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
  });
const event = (type: string, more: object): string =>
  `event: ${type}\n${frame({ type, sequence_number: 1, ...more })}`;

const answerFrames =
  (frames: readonly string[]): Script =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const one of frames) response.write(one);
    response.end();
  };
const sound = Buffer.from([0x49, 0x44, 0x33, 0x0d, 0x0a, 0x2d, 0x2d, 0x00, 0xff]);
const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

describe('the openai client gets', () => {
  it('a completion', async () => {
    const answer = await asWithout(answerJson(), '/v1/chat/completions', (client, model) =>
      client.chat.completions.create({ model, messages: [...messages], temperature: 0.1 }),
    );
    assert.equal(answer.choices[0]?.message.content, 'Hello there');
  });

  it('a stream, with the usage it asks for', async () => {
    const script = answerStream(['Hel', 'lo']);
    const chunks = await asWithout(script, '/v1/chat/completions', async (client, model) =>
      all(
        await client.chat.completions.create({
          model,
          messages: [...messages],
          stream: true,
          stream_options: { include_usage: true },
        }),
      ),
    );
    assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), 'Hello');
    assert.deepEqual(chunks.at(-1)?.usage, usage);
  });

  it('tool calls, as a body and as a stream', async () => {
    const call = { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const choices = [{ index: 0, finish_reason: 'tool_calls', message }];
    const script = answerJson({ ...completion, choices });
    const whole = await asWithout(script, '/v1/chat/completions', (client, model) =>
      client.chat.completions.create({ model, messages: [...messages], tools }),
    );
    assert.deepEqual(whole.choices[0]?.message.tool_calls, [call]);
    const pieces = [
      toolDelta({ id: 'call-1', type: 'function', function: { name: 'weather', arguments: '' } }),
      toolDelta({ function: { arguments: '{"city":' } }),
      toolDelta({ function: { arguments: '"Ulm"}' } }),
      'data: [DONE]\n\n',
    ];
    const stream_options = { include_usage: true };
    const chunks = await asWithout(
      answerFrames(pieces),
      '/v1/chat/completions',
      async (client, model) =>
        all(
          await client.chat.completions.create({
            model,
            messages: [...messages],
            tools,
            stream: true,
            stream_options,
          }),
        ),
    );
    const text = chunks.map(
      (chunk) => chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? '',
    );
    assert.equal(text.join(''), '{"city":"Ulm"}');
  });

  it('a response, as a body and as events', async () => {
    const content = [{ type: 'output_text', text: 'Hello', annotations: [] }];
    const output = [{ type: 'message', id: 'i', role: 'assistant', status: 'completed', content }];
    const response = { id: 'r', object: 'response', status: 'completed', error: null, output };
    const whole = await asWithout(answerJson(response), '/v1/responses', (client, model) =>
      client.responses.create({ model, input: 'Hi' }),
    );
    assert.equal(whole.output_text, 'Hello');
    const frames = [
      event('response.output_text.delta', { delta: 'Hello', item_id: 'i', output_index: 0 }),
      event('response.completed', { response }),
    ];
    const events = await asWithout(answerFrames(frames), '/v1/responses', async (client, model) =>
      all(await client.responses.create({ model, input: 'Hi', stream: true })),
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['response.output_text.delta', 'response.completed'],
    );
  });

  it('embeddings, text completions and moderations', async () => {
    const vector = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64');
    const data = [{ object: 'embedding', index: 0, embedding: vector }];
    const embedded = await asWithout(
      answerJson({ object: 'list', data, model: 'x', usage }),
      '/v1/embeddings',
      (client, model) => client.embeddings.create({ model, input: ['Hi'] }),
    );
    assert.deepEqual(embedded.data[0]?.embedding, [0.5, -1]);
    const choices = [{ text: 'Hello', index: 0, finish_reason: 'stop', logprobs: null }];
    const completed = await asWithout(
      answerJson({ ...completion, choices }),
      '/v1/completions',
      (client, model) => client.completions.create({ model, prompt: 'Hi' }),
    );
    assert.equal(completed.choices[0]?.text, 'Hello');
    const moderated = await asWithout(
      answerJson({ id: 'm', model: 'x', results: [{ flagged: true }] }),
      '/v1/moderations',
      (client, model) => client.moderations.create({ model, input: 'Hi' }),
    );
    assert.equal(moderated.results[0]?.flagged, true);
  });

  it('generated and edited images', async () => {
    const script = answerJson({ created: 1, data: [{ b64_json: picture.toString('base64') }] });
    const made = await asWithout(script, '/v1/images/generations', (client, model) =>
      client.images.generate({ model, prompt: 'a cat', n: 1 }),
    );
    assert.equal(made.data?.[0]?.b64_json, picture.toString('base64'));
    const edited = await asWithout(script, '/v1/images/edits', async (client, model) =>
      client.images.edit({
        model,
        image: [await toFile(picture, 'a.png'), await toFile(picture, 'b ü;".png')],
        prompt: 'two cats',
      }),
    );
    assert.equal(edited.created, 1);
  });

  it('transcriptions, as a body and as a stream', async () => {
    const heard = await asWithout(
      answerJson({ text: 'Hello' }),
      '/v1/audio/transcriptions',
      async (client, model) =>
        client.audio.transcriptions.create({ model, file: await toFile(sound, 'a.mp3') }),
    );
    assert.equal(heard.text, 'Hello');
    const frames = [
      frame({ type: 'transcript.text.delta', delta: 'Hello' }),
      frame({ type: 'transcript.text.done', text: 'Hello' }),
    ];
    const events = await asWithout(
      answerFrames(frames),
      '/v1/audio/transcriptions',
      async (client, model) => {
        const file = await toFile(sound, 'a.mp3');
        return all(await client.audio.transcriptions.create({ model, file, stream: true }));
      },
    );
    assert.equal(events.length, 2);
    const translated = await asWithout(
      answerJson({ text: 'Hello' }),
      '/v1/audio/translations',
      async (client, model) =>
        client.audio.translations.create({ model, file: await toFile(sound, 'a.mp3') }),
    );
    assert.equal(translated.text, 'Hello');
  });

  it('the bytes of speech', async () => {
    const script: Script = (_, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.end(sound);
    };
    const spoken = await asWithout(script, '/v1/audio/speech', async (client, model) => {
      const answer = await client.audio.speech.create({ model, input: 'Hi', voice: 'alloy' });
      return Buffer.from(await answer.arrayBuffer());
    });
    assert.deepEqual(spoken, sound);
  });
});

describe('the openai client', () => {
  it('lists models, and looks one up', async () => {
    await using session = await start(answerJson());
    const page = await session.client.models.list();
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ['m'],
    );
    assert.equal((await session.client.models.retrieve('m')).id, 'm');
    await assert.rejects(session.client.models.retrieve('a/b'), {
      status: 404,
      code: 'model_not_found',
      param: 'model',
    });
  });

  it('reports a refusal', async () => {
    await using session = await start(answerJson());
    await assert.rejects(
      session.client.chat.completions.create({ model: 'absent', messages: [...messages] }),
      { status: 404, code: 'model_not_found', param: 'model' },
    );
    await assert.rejects(session.client.files.list(), { status: 404, code: 'not_found' });
  });
});

describe('curl', () => {
  it('uploads a file, whatever is in it', async () => {
    await using session = await start(answerJson({ text: 'Hello' }));
    await using folder = await mkdtempDisposable(join(tmpdir(), 'gw-curl-'));
    const file = join(folder.path, 'a.mp3');
    await writeFile(file, sound);
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      '--fail-with-body',
      '-Hauthorization: Bearer key',
      '-Hexpect: 100-continue',
      `-Ffile=@${file}`,
      '-Fmodel=m',
      '-Flanguage=de',
      `${session.gateway.url}/v1/audio/transcriptions`,
    ]);
    assert.deepEqual(JSON.parse(stdout), { text: 'Hello' });
    const [seen] = session.upstream.seen;
    const boundary = /boundary=(.+)$/.exec(seen?.headers['content-type'] ?? '')?.[1] ?? '';
    const bytes = new Uint8Array(seen?.body ?? []);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const form = await new Response(bytes, { headers }).formData();
    assert.equal(form.get('model'), 'org/model');
    assert.equal(form.get('language'), 'de');
    const uploaded = form.get('file');
    assert.ok(uploaded instanceof File);
    assert.deepEqual(Buffer.from(await uploaded.arrayBuffer()), sound);
  });
});
