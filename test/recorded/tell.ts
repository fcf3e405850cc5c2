// Replays recorded answers to clients of the Messages and Responses APIs, and sends their recorded
// requests to backends of every protocol. Compares received answers with the recording, and sent
// requests with the backend's schema.

import { z } from 'zod';

import { protocol } from '../../src/lib/vocabulary.ts';
import type { Protocol } from '../../src/lib/vocabulary.ts';
import { startTestGateway } from '../harness/gateway/gateway.ts';
import type { TestGateway } from '../harness/gateway/gateway.ts';
import { native, post } from '../harness/gateway/messages.ts';
import { answerInProtocol } from '../harness/upstream/protocol-answers.ts';
import { answerJson, startUpstream } from '../harness/upstream/upstream.ts';
import type { Script, ScriptedUpstream } from '../harness/upstream/upstream.ts';
import { readAnthropic } from './read-anthropic.ts';
import { readDialect } from './read-dialects.ts';
import { readGemini } from './read-gemini.ts';
import { readResponse } from './read-response.ts';
import { differences, nothingRead } from './reading.ts';
import type { Reading } from './reading.ts';
import type { Recording } from './recordings.ts';
import { inPieces, pathOf } from './replay.ts';
import type { Outcome } from './replay.ts';
import { wrongIn } from './schemas.ts';

type Session = Readonly<{ upstream: ScriptedUpstream; gateway: TestGateway }>;

export async function tellAll(recordings: readonly Recording[]): Promise<readonly Outcome[]> {
  await using upstream = await startUpstream(() => {});
  const { apiBase } = upstream;
  const models = Object.fromEntries(
    protocol.options.map((name) => [
      name,
      { backends: [{ apiBase, protocol: name, upstreamModel: 'recorded', defaultMaxTokens: 100 }] },
    ]),
  );
  await using gateway = await startTestGateway({ models, keys: { key: {} } });
  const session = { upstream, gateway };
  const outcomes: Outcome[] = [];
  for (const recording of recordings) {
    if (pathOf(recording) === '/responses' && recording.request !== null) {
      for (const spoken of protocol.options)
        outcomes.push(
          await asked(recording.id, recording.request, spoken, session, '/v1/responses'),
        );
    }
    if (pathOf(recording) !== '/chat/completions') continue;
    outcomes.push(await told(recording, session), await toldByResponses(recording, session));
    if (recording.vendor !== 'anthropic' || recording.request === null) continue;
    for (const spoken of protocol.options)
      outcomes.push(await asked(recording.id, recording.request, spoken, session));
  }
  return outcomes;
}

async function told(recording: Recording, { upstream, gateway }: Session): Promise<Outcome> {
  const { vendor, id, status, isStream, response } = recording;
  const outcome = { vendor, id, kind: 'told', bytes: response.length } as const;
  upstream.play(inPieces(recording, response, () => 1000));
  const body = {
    model: vendor,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    ...(isStream && { stream: true }),
  };
  const answer = await post(gateway, body);
  const text = await answer.text();
  if (vendor === 'anthropic') {
    return { ...outcome, problems: text === response.toString() ? [] : ['the bytes are others'] };
  }
  const expected = expectedOf(recording);
  if (expected.error !== null) {
    const isTold = text.includes(JSON.stringify(expected.error));
    const isStatus = status < 400 || answer.status === status;
    return { ...outcome, problems: isTold && isStatus ? [] : [`an error: ${text.slice(0, 200)}`] };
  }
  if (answer.status !== status) return { ...outcome, problems: [`status ${answer.status}`] };
  const given = readAnthropic(text, isStream, 'last');
  return { ...outcome, problems: differences(expected, refusedAs(expected, given)) };
}

async function toldByResponses(
  recording: Recording,
  { upstream, gateway }: Session,
): Promise<Outcome> {
  const { vendor, id, status, isStream, response } = recording;
  const outcome = { vendor, id, kind: 'told', bytes: response.length } as const;
  upstream.play(chatOnly(inPieces(recording, response, () => 1000)));
  const body = {
    model: vendor,
    max_output_tokens: 100,
    input: 'Hi',
    ...(isStream && { stream: true }),
  };
  const answer = await post(gateway, body, { path: '/v1/responses', headers: bearer });
  const text = await answer.text();
  const expected =
    vendor === 'anthropic' && status < 400
      ? readAnthropic(response.toString(), isStream)
      : expectedOf(recording);
  if (expected.error !== null) {
    const isTold = text.includes(JSON.stringify(expected.error));
    return { ...outcome, problems: isTold ? [] : [`an error: ${text.slice(0, 200)}`] };
  }
  if (answer.status !== status) return { ...outcome, problems: [`status ${answer.status}`] };
  const given = readResponse(text, isStream);
  const counted = { ...expected, cachedTokens: expected.cachedTokens ?? 0 };
  return { ...outcome, problems: differences(counted, refusedAs(counted, given)) };
}

const bearer = { authorization: 'Bearer key' };

/** An upstream that does not serve the Responses API. */
const chatOnly =
  (script: Script): Script =>
  (seen, response) =>
    (seen.path.endsWith('/responses') ? answerJson({}, 405) : script)(seen, response);

function expectedOf({ vendor, status, isStream, response }: Recording): Reading {
  const text = response.toString();
  if (status >= 400) return { ...nothingRead, error: messageIn(text) };
  const read = vendor === 'gemini' ? readGemini(text, isStream) : readDialect(text, isStream);
  return { ...read, cachedTokens: read.cachedTokens ?? 0 };
}

const failure = z.union([
  z.object({ error: z.union([z.string(), z.object({ message: z.string() })]) }),
  z.object({ message: z.string() }).transform(({ message }) => ({ error: message })),
]);

function messageIn(text: string): string {
  const value: unknown = JSON.parse(text);
  const { error } = failure.parse(Array.isArray(value) ? value[0] : value);
  return typeof error === 'string' ? error : error.message;
}

/** A refusal is text here, whereas a chat has a field for it. */
const refusedAs = (expected: Reading, given: Reading): Reading =>
  expected.finish === 'content_filter' && given.text.startsWith(expected.text)
    ? { ...given, text: expected.text }
    : given;

async function asked(
  id: string,
  request: Buffer,
  spoken: Protocol,
  { upstream, gateway }: Session,
  path = '/v1/messages',
): Promise<Outcome> {
  const outcome = { vendor: spoken, id, kind: 'asked', bytes: request.length } as const;
  upstream.seen.length = 0;
  upstream.play(chatOnly(answerInProtocol(spoken, () => ({ text: 'Hello' }))));
  const recorded = z.looseObject({}).parse(JSON.parse(request.toString()));
  const answer = await post(
    gateway,
    { ...recorded, model: spoken },
    { path, headers: { ...native, ...bearer } },
  );
  const text = await answer.text();
  if (answer.status === 501 || answer.status === 400) {
    return { ...outcome, problems: [], refusal: messageIn(text) };
  }
  if (answer.status !== 200) return { ...outcome, problems: [`status ${answer.status}`] };
  const sent = upstream.seen.at(-1)?.body.toString() ?? '';
  const heard = text.includes('Hello') ? [] : ['the answer was lost'];
  const wrong =
    spoken === 'anthropic' && path === '/v1/messages'
      ? sent === JSON.stringify({ ...recorded, model: 'recorded' })
        ? []
        : ['the request is another']
      : wrongIn(spoken, sent);
  return { ...outcome, problems: [...wrong, ...heard] };
}
