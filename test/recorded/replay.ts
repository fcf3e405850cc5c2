// Sends recorded answers through a gateway to a client, split at several sizes, and compares the
// result with the recording.

import { createHash } from 'node:crypto';

import { proxiedRoutes } from '../../src/gateway/routes.ts';
import { startTestGateway } from '../harness/gateway/gateway.ts';
import type { TestGateway } from '../harness/gateway/gateway.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';
import { diceOf } from '../protocols/mutate.ts';
import { readAnthropic } from './read-anthropic.ts';
import { readChatAnswer } from './read-chat-answer.ts';
import { readGemini } from './read-gemini.ts';
import { reshaped } from './reshape.ts';
import { differences, nothingRead } from './reading.ts';
import type { Reading } from './reading.ts';
import type { Recording } from './recordings.ts';

export type Outcome = Readonly<{
  vendor: string;
  id: string;
  kind: 'message' | 'stream' | 'error' | 'passed on' | 'asked' | 'told' | 'counted';
  bytes: number;
  /** Empty if all is equal; null if the gateway never requests such an answer. */
  problems: readonly string[] | null;
  /** The reason why the gateway sent no request. */
  refusal?: string;
}>;

/** Bytes per piece; null sends everything at once. */
const pieceSizes = [null, 7, 1];
/** Seeds for splits at random offsets. */
const cutSeeds = [1, 2, 3];
/** Longer answers are not split into single bytes. */
const smallBytesMax = 64 * 1024;

export async function replay(recordings: readonly Recording[]): Promise<readonly Outcome[]> {
  await using upstream = await startUpstream(() => {});
  const { apiBase } = upstream;
  const models = Object.fromEntries(
    (['openai', 'anthropic', 'gemini'] as const).map((protocol) => [
      protocol,
      { backends: [{ apiBase, protocol, upstreamModel: 'recorded', defaultMaxTokens: 1000 }] },
    ]),
  );
  await using gateway = await startTestGateway({ models, keys: { key: {} } });
  const outcomes: Outcome[] = [];
  for (const recording of recordings) {
    outcomes.push(await outcomeOf(recording, { upstream, gateway }));
  }
  return outcomes;
}

type Session = Readonly<{ upstream: ScriptedUpstream; gateway: TestGateway }>;

async function outcomeOf(recording: Recording, session: Session): Promise<Outcome> {
  const { vendor, id, status, isStream, response } = recording;
  const whole = isStream ? 'stream' : 'message';
  const kind = vendor === 'openai' ? 'passed on' : status >= 400 ? 'error' : whole;
  const path = pathOf(recording);
  if (path === null) return { vendor, id, kind, bytes: response.length, problems: null };
  const problems = new Set<string>();
  const scripts = [
    ...pieceSizes
      .filter((size) => size !== 1 || response.length <= smallBytesMax)
      .map((size) => inPieces(recording, response, () => size ?? response.length)),
    ...cutSeeds.map((seed) => cutAnywhere(recording, diceOf(seed))),
    ...asTomorrow(recording),
  ];
  for (const script of scripts) {
    session.upstream.play(script);
    for (const problem of await problemsOf(recording, path, session)) problems.add(problem);
  }
  return { vendor, id, kind, bytes: response.length, problems: [...problems] };
}

/** The gateway's route that has such an answer; null if there is none. */
export function pathOf({ vendor, path, query, status, response }: Recording): string | null {
  const isChat = response.includes('"choices"');
  if (vendor === 'openai') {
    const asked = path ?? (isChat ? '/chat/completions' : '');
    return proxiedRoutes.find((route) => asked.endsWith(route.path))?.path ?? null;
  }
  // Token counts, streams as one array, and calls in pieces appear only for clients that request
  // them.
  const isCount = path !== null && /count_?tokens/i.test(path) && status < 400;
  const isArray = path?.endsWith(':streamGenerateContent') === true && query !== 'alt=sse';
  const isPieced = response.includes('"willContinue"');
  return isCount || isArray || isPieced ? null : '/chat/completions';
}

export const inPieces =
  ({ status, contentType }: Recording, bytes: Buffer, nextSize: () => number): Script =>
  (_, response) => {
    response.writeHead(status, { 'content-type': contentType });
    for (let at = 0; at < bytes.length;) {
      const end = at + nextSize();
      response.write(bytes.subarray(at, end));
      at = end;
    }
    response.end();
  };

/** Splits into about twenty pieces, some of them small. */
function cutAnywhere(recording: Recording, dice: (sides: number) => number): Script {
  const { response } = recording;
  const sides = Math.ceil(response.length / 10) + 1;
  return inPieces(recording, response, () => 1 + dice(dice(2) === 0 ? 40 : sides));
}

/** An answer that is relayed unchanged has no other form. */
function asTomorrow(recording: Recording): readonly Script[] {
  const bytes = recording.vendor === 'openai' ? null : reshaped(recording);
  return bytes === null ? [] : [inPieces(recording, bytes, () => bytes.length)];
}

async function problemsOf(
  recording: Recording,
  path: string,
  { gateway }: Session,
): Promise<readonly string[]> {
  const { vendor, status, isStream, response } = recording;
  gateway.events.length = 0;
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: bodyOf(recording),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== status) return [`status: ${status} became ${answer.status}`];
  const row = await until(() => gateway.events[0], { what: 'a usage row' });
  if (vendor === 'openai') {
    return digest(bytes) === digest(response) ? [] : ['the bytes are others'];
  }
  const given = readChatAnswer(bytes.toString(), isStream && status < 400);
  const expected = expectedOf(recording);
  const counted =
    status < 400 &&
    (row.prompt_tokens !== expected.promptTokens ||
      row.completion_tokens !== expected.completionTokens);
  const rows = counted ? [`row: ${row.prompt_tokens} and ${row.completion_tokens} tokens`] : [];
  return [...differences(expected, given), ...rows];
}

function expectedOf({ vendor, status, isStream, response }: Recording): Reading {
  const text = response.toString();
  if (status >= 400) return { ...nothingRead, error: readChatAnswer(text, false).error };
  return vendor === 'gemini' ? readGemini(text, isStream) : readAnthropic(text, isStream);
}

/** The recorded request if it is a chat; otherwise a minimal chat. */
function bodyOf({ vendor, isStream, request }: Recording): string {
  const messages = [{ role: 'user', content: 'Hi' }];
  const small = {
    messages,
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  };
  const recorded = vendor === 'openai' && request !== null ? JSON.parse(request.toString()) : small;
  return JSON.stringify({ ...recorded, model: vendor });
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
