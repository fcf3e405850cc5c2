// Every client gets only bytes of its own answer, also while others are cut off, retried, aborted or slow on the same
// connections.

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import type { Script } from '../harness/upstream/upstream.ts';

/** The behaviours of the upstream. `held` is refused first and then dropped, so the client gets the first answer. */
const kinds = ['answered', 'refused', 'held', 'error', 'dropped', 'cut', 'aborted'] as const;

/** Further attempts of the same request, if they differ. */
const retried: Partial<Record<(typeof kinds)[number], (typeof kinds)[number]>> = {
  dropped: 'answered',
  cut: 'answered',
  held: 'dropped',
};

type Asked = Readonly<{
  kind: (typeof kinds)[number];
  isStream: boolean;
  /** The numbers of marks in the prompt, and in each piece of the answer. */
  prompt: number;
  pieces: readonly number[];
}>;

const count = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 }));
const asked = fc.record({
  kind: fc.constantFrom(...kinds),
  isStream: fc.boolean(),
  prompt: count,
  pieces: fc.array(count, { minLength: 1, maxLength: 6 }),
});

/** The statuses of the upstream's errors. The second one is only in the body. */
const failed = { refused: 503, held: 503, error: 500 } as const;

type Answer = Readonly<{ status: number; id: string; text: string; isWhole: boolean }>;

const markOf = (number: number): string => `<request-${String(number).padStart(6, '0')}>`;
const marks = /<request-\d{6}>/g;

/** Asserts that each request arrives with its own head, and answers only with marks of that request. */
const answerOwn =
  (plans: ReadonlyMap<string, Asked>, tried: Set<string>): Script =>
  (seen, response) => {
    const found = seen.body.toString().match(marks) ?? [];
    const [mark = ''] = found;
    const plan = plans.get(mark);
    assert.ok(plan !== undefined && found.length === plan.prompt && new Set(found).size === 1);
    assert.equal(seen.headers['x-title'], mark);
    const kind = tried.has(mark) ? (retried[plan.kind] ?? plan.kind) : plan.kind;
    tried.add(mark);
    if (kind === 'dropped') return void response.socket?.destroy();
    const pieces = plan.pieces.map((count) => mark.repeat(count));
    const parts = partsOf(plan, kind, { mark, pieces });
    const type = plan.isStream && kind !== 'error' ? 'text/event-stream' : 'application/json';
    response.writeHead(kind === 'refused' || kind === 'held' ? 503 : 200, { 'content-type': type });
    const write = (index: number): void => {
      const part = parts[index];
      if (kind === 'cut' && index === parts.length - 1) return void response.socket?.destroy();
      if (part === undefined) return void response.end();
      response.write(part);
      setImmediate(write, index + 1);
    };
    write(0);
  };

function partsOf(
  { isStream }: Asked,
  kind: Asked['kind'],
  { mark, pieces }: Readonly<{ mark: string; pieces: readonly string[] }>,
): readonly string[] {
  const number = Number(/\d+/.exec(mark)?.[0]);
  const usage = `"usage":{"prompt_tokens":${number},"completion_tokens":1}`;
  if (kind === 'error')
    return ['{"er', `ror":{"message":"`, ...pieces, `","code":${failed.error}}}`];
  if (!isStream) return ['{"choices":["', ...pieces, `"],${usage}}`];
  return [...pieces.map((piece) => `data: {"x":"${piece}"}\n\n`), `data: {${usage}}\n\n`];
}

function ask(
  url: string,
  agent: Agent,
  { mark, plan }: Readonly<{ mark: string; plan: Asked }>,
): Promise<Answer | null> {
  const { isStream: stream } = plan;
  const messages = [{ role: 'user', content: mark.repeat(plan.prompt) }];
  return new Promise((resolve) => {
    const asking = request(`${url}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: 'Bearer key',
        'content-type': 'application/json',
        'x-request-id': mark.slice(1, -1),
        'x-title': mark,
      },
    });
    asking.on('error', () => resolve(null));
    asking.on('response', (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
        if (plan.kind === 'aborted') response.destroy();
      });
      response.on('error', () => {});
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          id: String(response.headers['x-request-id']),
          text,
          isWhole: response.complete,
        }),
      );
    });
    asking.end(JSON.stringify(chatBody('m', { stream, messages })));
  });
}

it('sends every client only its own answer, however those of others end', async () => {
  const plans = new Map<string, Asked>();
  const script = answerOwn(plans, new Set());
  await using one = await startUpstream(script);
  await using other = await startUpstream(script);
  const backends = [one, other].map(({ apiBase }) => ({ apiBase }));
  await using gateway = await startTestGateway({ models: { m: { backends } }, keys: { key: {} } });
  const agent = new Agent({ keepAlive: true, maxSockets: 12 });
  let number = 0;
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(asked, { minLength: 20, maxLength: 60 }), async (batch) => {
      const numbered = batch.map((plan) => ({ plan, number: ++number, mark: markOf(number) }));
      for (const { plan, mark } of numbered) plans.set(mark, plan);
      await Promise.all(
        numbered.map(async ({ plan, mark }) => {
          const answer = await ask(gateway.url, agent, { mark, plan });
          if (answer === null) return;
          assert.equal(answer.id, mark.slice(1, -1));
          const found = answer.text.match(marks) ?? [];
          for (const one of found) assert.equal(one, mark);
          const { kind, pieces } = plan;
          if (kind === 'cut' || kind === 'aborted') return;
          assert.ok(answer.isWhole);
          const total = pieces.reduce((sum, one) => sum + one, 0);
          // Both backends may be out of rotation after connections that were dropped.
          if (answer.status === 502 && found.length === 0) return;
          // A longer error is not held while other backends are tried.
          const isFailed = kind === 'refused' || kind === 'held' || kind === 'error';
          if (isFailed && total * mark.length > 60_000) return;
          assert.equal(answer.status, isFailed ? failed[kind] : 200);
          assert.equal(found.length, total);
          checked++;
        }),
      );
    }),
    { numRuns: 12, endOnFailure: true },
  );
  agent.destroy();
  assert.ok(checked > number / 4);
  // The upstream reports the number of the request as its tokens.
  const reported = gateway.events.filter((event) => event.usage_reported);
  assert.equal(new Set(reported.map((event) => event.prompt_tokens)).size, reported.length);
});
