// Sends recorded chat requests to backends of the other protocols. Each is translated without loss,
// or refused with a reason.

import { z } from 'zod';

import { startTestGateway } from '../harness/gateway/gateway.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import { answerEvents, vendors } from '../harness/upstream/vendors.ts';
import type { Vendor } from '../harness/upstream/vendors.ts';
import type { Recording } from './recordings.ts';
import type { Outcome } from './replay.ts';
import { wrongIn } from './schemas.ts';

const part = z.object({ text: z.string().optional() });
const request = z.object({
  stream: z.boolean().nullish(),
  messages: z.array(
    z.object({ role: z.string(), content: z.union([z.string(), z.array(part)]).nullish() }),
  ),
});

export async function askAll(recordings: readonly Recording[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const recording of recordings) {
    const { request: body, vendor, path } = recording;
    const isChat = vendor === 'openai' && path?.endsWith('/chat/completions') === true;
    if (!isChat || body === null) continue;
    for (const asked of vendors) outcomes.push(await ask(recording.id, body, asked));
  }
  return outcomes;
}

async function ask(id: string, body: Buffer, vendor: Vendor): Promise<Outcome> {
  const { protocol, upstreamModel, begun, ended, message } = vendor;
  const recorded: unknown = JSON.parse(body.toString());
  const { stream, messages } = request.parse(recorded);
  const whole = answerEvents(Buffer.concat([begun, ended]));
  await using upstream = await startUpstream((seen, response) => {
    if (stream === true) return whole(seen, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(message));
  });
  const { apiBase } = upstream;
  const backends = [{ apiBase, protocol, upstreamModel, defaultMaxTokens: 1000 }];
  await using gateway = await startTestGateway({ models: { m: { backends } }, keys: { key: {} } });
  const answer = await gateway.chat({
    ...z.record(z.string(), z.unknown()).parse(recorded),
    model: 'm',
  });
  const told = await answer.text();
  const outcome = { vendor: protocol, id, bytes: body.length } as const;
  if (answer.status === 501 || answer.status === 400) {
    const refusal = z.object({ error: z.object({ message: z.string() }) }).parse(JSON.parse(told));
    return { ...outcome, kind: 'asked', problems: [], refusal: refusal.error.message };
  }
  if (answer.status !== 200)
    return { ...outcome, kind: 'asked', problems: [`status ${answer.status}`] };
  const sent = upstream.seen[0]?.body.toString() ?? '';
  const lost = messages
    .flatMap(({ content }) => (typeof content === 'string' ? [content] : textsOf(content)))
    .filter((text) => text.trim() !== '' && !isSaid(sent, text));
  const heard = told.includes('Hel') ? [] : ['the answer was lost'];
  return {
    ...outcome,
    kind: 'asked',
    problems: [...lost.map((text) => `lost: ${text}`), ...heard, ...wrongIn(protocol, sent)],
  };
}

const textsOf = (parts: readonly z.output<typeof part>[] | null | undefined): readonly string[] =>
  (parts ?? []).flatMap(({ text }) => text ?? []);

/** A result that is JSON may be sent as JSON. */
const isSaid = (sent: string, text: string): boolean =>
  sent.includes(JSON.stringify(text).slice(1, -1)) || sent.includes(compact(text));

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
