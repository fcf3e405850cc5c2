// Tests that the replay of recorded traffic finds equal and different answers, with recordings made
// here.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import { completion } from '../harness/upstream/upstream.ts';
import { vendors } from '../harness/upstream/vendors.ts';
import { askAll } from './ask.ts';
import { readAnthropic } from './read-anthropic.ts';
import { readGemini } from './read-gemini.ts';
import { differences } from './reading.ts';
import { readRecordings } from './recordings.ts';
import { replay } from './replay.ts';
import { reshaped } from './reshape.ts';
import { wrongIn } from './schemas.ts';
import { tellAll } from './tell.ts';
import { countAll } from './usage-fields.ts';

type Made = Readonly<{ file: string; body: string | Buffer; more?: object }>;

const folder = () => mkdtempDisposableSync(join(tmpdir(), 'gw-recorded-'));

function record(directory: string, vendor: string, made: readonly Made[]): void {
  mkdirSync(join(directory, vendor));
  const index = made.map(({ file, body, more }) => {
    writeFileSync(join(directory, vendor, file), body);
    return { id: file, method: 'POST', status: 200, response: file, ...more };
  });
  writeFileSync(join(directory, vendor, 'index.json'), JSON.stringify(index));
}

/** For clients of either API. */
const twice = <Row>(row: Row): readonly Row[] => [row, row];

const [anthropic, gemini] = vendors;
const stream = (vendor = anthropic): Buffer =>
  Buffer.concat([vendor?.begun ?? Buffer.alloc(0), vendor?.ended ?? Buffer.alloc(0)]);

describe('a directory of recordings', () => {
  it('is replayed, and the gateway’s result equals the recording', async () => {
    using directory = folder();
    for (const vendor of vendors) {
      const failed = JSON.stringify(vendor.errorOf(429, 'slow down'));
      record(directory.path, vendor.protocol, [
        { file: 'whole.response.json', body: JSON.stringify(vendor.message) },
        { file: 'stream.response.sse', body: stream(vendor) },
        { file: 'error.response.json', body: failed, more: { status: 429 } },
        { file: 'counted.json', body: '{}', more: { path: '/v1/messages/count_tokens' } },
        { file: 'list.json', body: '{}', more: { method: 'GET' } },
      ]);
    }
    record(directory.path, 'openai', [
      { file: 'whole.json', body: JSON.stringify(completion), more: { path: '/v1/embeddings' } },
      { file: 'chat.json', body: JSON.stringify(completion) },
    ]);
    const outcomes = await replay(readRecordings(directory.path));
    assert.deepEqual(
      outcomes.map(({ vendor, kind, problems }) => [vendor, kind, problems]),
      [
        ...vendors.flatMap(({ protocol }) => [
          [protocol, 'message', []],
          [protocol, 'stream', []],
          [protocol, 'error', []],
          [protocol, 'message', null],
        ]),
        ['openai', 'passed on', []],
        ['openai', 'passed on', []],
      ],
    );
  });

  it('that differs from the gateway’s result is reported', async () => {
    using directory = folder();
    const cut = { ...anthropic?.message, content: [{ type: 'text' }], stop_reason: 'tomorrow' };
    record(directory.path, 'anthropic', [
      { file: 'cut.response.sse', body: anthropic?.begun ?? '' },
      { file: 'odd.response.json', body: JSON.stringify(cut) },
    ]);
    const [broken, odd] = await replay(readRecordings(directory.path));
    assert.match(broken?.problems?.join('\n') ?? '', /^text: "Hello" became ""$/m);
    assert.deepEqual(odd?.problems, ['finish: null became "stop"']);
  });

  it('has chats that are sent in every other protocol, or refused with a reason', async () => {
    using directory = folder();
    const path = '/v1/chat/completions';
    const messages = [{ role: 'user', content: 'What is "it"?' }];
    writeFileSync(join(directory.path, 'asked.json'), JSON.stringify({ messages, stream: true }));
    writeFileSync(join(directory.path, 'seed.json'), JSON.stringify({ messages, seed: 1 }));
    const body = JSON.stringify(completion);
    record(directory.path, 'openai', [
      { file: 'a.json', body, more: { path, request: '../asked.json' } },
      { file: 'b.json', body, more: { path, request: '../seed.json' } },
    ]);
    const outcomes = await askAll(readRecordings(directory.path));
    assert.deepEqual(
      outcomes.map(({ vendor, refusal, problems }) => [vendor, refusal, problems]),
      [
        ...vendors.map(({ protocol }) => [protocol, undefined, []]),
        ...vendors.map(({ protocol }) => [
          protocol,
          `a backend of protocol ${protocol} does not support seed`,
          [],
        ]),
      ],
    );
  });

  it('is sent to clients of the Messages and Responses APIs, and differences are reported', async () => {
    using directory = folder();
    const messages = [{ role: 'user', content: 'What is "it"?' }];
    const request = JSON.stringify({ model: 'x', max_tokens: 9, messages });
    writeFileSync(join(directory.path, 'asked.json'), request);
    for (const vendor of vendors) {
      const more = vendor.protocol === 'anthropic' ? { request: '../asked.json' } : {};
      record(directory.path, vendor.protocol, [
        { file: 'whole.response.json', body: JSON.stringify(vendor.message), more },
        { file: 'stream.response.sse', body: stream(vendor) },
      ]);
    }
    const { choices } = completion;
    const doubled = { ...completion, choices: [...choices, ...choices] };
    record(directory.path, 'openai', [
      { file: 'chat.json', body: JSON.stringify(completion) },
      { file: 'twice.json', body: JSON.stringify(doubled) },
    ]);
    const outcomes = await tellAll(readRecordings(directory.path));
    assert.deepEqual(
      outcomes.map(({ vendor, kind, problems }) => [vendor, kind, problems]),
      [
        ...twice(['anthropic', 'told', []]),
        ...['openai', 'anthropic', 'gemini'].map((spoken) => [spoken, 'asked', []]),
        ...twice(['anthropic', 'told', []]),
        ...twice(['gemini', 'told', []]),
        ...twice(['gemini', 'told', []]),
        ...twice(['openai', 'told', []]),
        ...twice(['openai', 'told', ['text: "Hello thereHello there" became "Hello there"']]),
      ],
    );
  });

  it('has the usage fields that gw does not know listed', () => {
    using directory = folder();
    record(directory.path, 'openai', [
      { file: 'a.json', body: '{"usage":{"prompt_tokens":1,"smell_tokens":2}}' },
      { file: 'b.json', body: '{"data":[{"usage":"x"}]}' },
    ]);
    record(directory.path, 'gemini', [{ file: 'a.sse', body: stream(gemini) }]);
    assert.deepEqual(
      countAll(readRecordings(directory.path)).map(({ vendor, problems }) => [vendor, problems]),
      [
        ['gemini', []],
        ['openai', ['unknown usage field smell_tokens']],
        ['openai', []],
      ],
    );
  });

  it('without recordings is refused with its name', () => {
    using directory = folder();
    assert.throws(() => readRecordings(directory.path), {
      message: /gw-recorded-.* no recordings/,
    });
  });

  it('may store a stream as one payload per line', () => {
    using directory = folder();
    record(directory.path, 'gemini', [{ file: 'a.jsonl', body: '{"x":1}\n{"x":2}\n' }]);
    const [recording] = readRecordings(directory.path);
    assert.equal(recording?.response.toString(), 'data: {"x":1}\n\ndata: {"x":2}\n\n');
    assert.ok(recording?.isStream);
  });
});

it('a reshaped stream has other spellings and more members', () => {
  for (const vendor of vendors) {
    const response = stream(vendor);
    const recording = { isStream: true, status: 200, response };
    const changed = reshaped(recording)?.toString().slice(1) ?? '';
    assert.match(changed, /x_tomorrow/);
    assert.match(changed, /^data:[^ ]/m);
    assert.ok(!changed.includes(response.toString().slice(0, 60)));
  }
});

it('a request that a vendor would refuse is reported with the position of the fault', () => {
  const message = { role: 'user', content: 'Hi', name: 'x' };
  const [problem] = wrongIn('openai', JSON.stringify({ model: 'm', messages: [message] }));
  assert.match(problem ?? '', /^messages\.0/);
});

describe('a recorded answer', () => {
  it('is read equally as a body and as a stream', () => {
    const whole = readAnthropic(JSON.stringify(anthropic?.message), false);
    assert.deepEqual(differences(whole, readAnthropic(stream().toString(), true)), []);
    assert.deepEqual([whole.text, whole.promptTokens, whole.cachedTokens], ['Hello', 11, 8]);
    const answer = readGemini(JSON.stringify(gemini?.message), false);
    assert.deepEqual(differences(answer, readGemini(stream(gemini).toString(), true)), []);
    assert.deepEqual([answer.completionTokens, answer.finish], [7, 'stop']);
    assert.deepEqual(differences(whole, { ...whole, text: 'Hallo' }), [
      'text: "Hello" became "Hallo"',
    ]);
  });
});
