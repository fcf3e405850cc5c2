// Every request gets its own answer also if clients repeat heads, send requests before they have the
// answers to earlier ones, read slowly, or leave.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import * as fc from 'fast-check';

import { cut } from '../harness/bytes/answer-bytes.ts';
import { openRawClient } from '../harness/bytes/raw-client.ts';
import type { RawClient } from '../harness/bytes/raw-client.ts';
import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

/** The numbers of marks in the prompt, and in each piece of the answer. */
type Asked = Readonly<{ isStream: boolean; prompt: number; pieces: readonly number[] }>;

/** The sizes are below and above those of the memory that requests share. */
const count = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 5000 }));
const asked = fc.record({
  isStream: fc.boolean(),
  prompt: count,
  pieces: fc.array(count, { minLength: 1, maxLength: 4 }),
});

const ways = ['pipelined', 'in turn', 'slow', 'leaving'] as const;
const connection = fc.record({
  way: fc.constantFrom(...ways),
  requests: fc.array(asked, { minLength: 1, maxLength: 6 }),
  cuts: fc.array(fc.nat(200_000), { maxLength: 6 }),
});

const markOf = (number: number): string => `<request-${String(number).padStart(6, '0')}>`;
const marks = /<request-\d{6}>/g;

const answerOwn =
  (plans: ReadonlyMap<string, Asked>): Script =>
  (seen, response) => {
    const found = seen.body.toString().match(marks) ?? [];
    const [mark = ''] = found;
    const plan = plans.get(mark);
    assert.ok(plan !== undefined && found.length === plan.prompt && new Set(found).size === 1);
    JSON.parse(seen.body.toString());
    const usage = `"usage":{"prompt_tokens":${Number(/\d+/.exec(mark)?.[0])},"completion_tokens":1}`;
    const pieces = plan.pieces.map((count) => mark.repeat(count));
    const parts = plan.isStream
      ? [...pieces.map((piece) => `data: {"x":"${piece}"}\n\n`), `data: {${usage}}\n\n`]
      : ['{"choices":["', ...pieces, `"],${usage}}`];
    const type = plan.isStream ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    const write = (index: number): void => {
      const part = parts[index];
      if (part === undefined) return void response.end();
      response.write(part);
      setImmediate(write, index + 1);
    };
    write(0);
  };

/** The requests of a connection have the same head, except for the length. */
function bytesOf(mark: string, { isStream: stream, prompt }: Asked): Buffer {
  const messages = [{ role: 'user', content: mark.repeat(prompt) }];
  const body = JSON.stringify(chatBody('m', { stream, messages }));
  const fields = 'host: x\r\nauthorization: Bearer key\r\ncontent-type: application/json\r\n';
  const head = `POST /v1/chat/completions HTTP/1.1\r\n${fields}content-length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
}

type Answer = Readonly<{ status: number; body: string }>;

/** The complete answers at the start of the text. */
function answersIn(text: string): readonly Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; ;) {
    const bodyAt = text.indexOf('\r\n\r\n', at) + 4;
    if (bodyAt < 4) return answers;
    const head = text.slice(at, bodyAt);
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(head)?.[1];
    let body = '';
    if (length !== undefined) {
      at = bodyAt + Number(length);
      if (at > text.length) return answers;
      body = text.slice(bodyAt, at);
    } else {
      for (let size = -1, chunkAt = bodyAt; size !== 0; chunkAt = at) {
        const lineEnd = text.indexOf('\r\n', chunkAt);
        size = Number.parseInt(text.slice(chunkAt, lineEnd), 16);
        at = lineEnd + 2 + size + 2;
        if (lineEnd === -1 || at > text.length) return answers;
        body += text.slice(lineEnd + 2, lineEnd + 2 + size);
      }
    }
    answers.push({ status: Number(head.slice(9, 12)), body });
  }
}

async function send({ socket }: RawClient, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece);
    await turn();
  }
}

const answered = (client: RawClient, number: number): Promise<unknown> =>
  until(() => answersIn(client.seen.text).length >= number, { what: `${number} answers` });

it('sends every request its own answer, however its connection is used', async () => {
  const plans = new Map<string, Asked>();
  await using upstream = await startUpstream(answerOwn(plans));
  await using gateway = await startTestGateway({
    models: { m: { backends: [upstream] } },
    keys: { key: {} },
  });
  let number = 0;
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(connection, { minLength: 4, maxLength: 12 }), async (batch) => {
      const clients = batch.map(({ way, requests, cuts }) => {
        const numbered = requests.map((plan) => ({ plan, mark: markOf(++number) }));
        for (const { plan, mark } of numbered) plans.set(mark, plan);
        return { way, cuts, numbered, client: openRawClient(gateway.url, '') };
      });
      for (const { way, client } of clients) if (way === 'slow') client.socket.pause();
      const done = clients.map(async ({ way, cuts, numbered, client }) => {
        const all = numbered.map(({ plan, mark }) => bytesOf(mark, plan));
        if (way === 'in turn') {
          for (const [index, bytes] of all.entries()) {
            await send(client, cut(bytes, cuts));
            await answered(client, index + 1);
          }
          return;
        }
        await send(client, cut(Buffer.concat(all), cuts));
        if (way === 'leaving') client.socket.destroy();
        if (way === 'pipelined') await answered(client, all.length);
      });
      await Promise.all(done);
      for (const { way, numbered, client } of clients) {
        if (way === 'leaving') continue;
        client.socket.resume();
        await answered(client, numbered.length);
        const answers = answersIn(client.seen.text);
        assert.equal(answers.length, numbered.length);
        for (const [index, { plan, mark }] of numbered.entries()) {
          const found = answers[index]?.body.match(marks) ?? [];
          assert.equal(answers[index]?.status, 200);
          assert.deepEqual([...new Set(found)], [mark]);
          assert.equal(
            found.length,
            plan.pieces.reduce((sum, one) => sum + one, 0),
          );
          checked++;
        }
        client.socket.destroy();
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
  assert.ok(checked > number / 4);
  const reported = gateway.events.filter((event) => event.usage_reported);
  assert.equal(new Set(reported.map((event) => event.prompt_tokens)).size, reported.length);
});
