// Starts a gateway whose clients use the Messages API, with one backend of any protocol.

import type { Protocol } from '../../../src/lib/vocabulary.ts';
import { startTestGateway } from './gateway.ts';
import type { TestGateway } from './gateway.ts';
import type { GivenSnapshot } from './snapshot.ts';
import { startUpstream } from '../upstream/upstream.ts';
import type { Script } from '../upstream/upstream.ts';

export const native = { 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };

export const messagesBody = (more: object = {}) => ({
  model: 'm',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

type Sent = Readonly<{ headers?: Readonly<Record<string, string>>; path?: string }>;

/** A string body is sent unchanged. */
export const post = (
  { url }: TestGateway,
  body: unknown,
  { headers = native, path = '/v1/messages' }: Sent = {},
): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

type Given = Partial<GivenSnapshot> & Readonly<{ protocol?: Protocol; cacheTtlSeconds?: number }>;

/** A model `m`, called `up` upstream. */
export async function startMessages(script: Script, given: Given = {}) {
  const { protocol = 'openai', cacheTtlSeconds, ...more } = given;
  const upstream = await startUpstream(script);
  const { apiBase } = upstream;
  const backend = { apiBase, protocol, upstreamModel: 'up', credential: 'secret' };
  const gateway = await startTestGateway({
    models: {
      m: { backends: [backend], ...(cacheTtlSeconds !== undefined && { cacheTtlSeconds }) },
    },
    keys: { key: {} },
    ...more,
  });
  return {
    upstream,
    gateway,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

export async function errorOf(response: Response) {
  type MessageAnswer = Readonly<{
    type: string;
    error: Readonly<{ type: string; message: string }>;
    request_id: string;
  }>;
  const answer: MessageAnswer = JSON.parse(await response.text());
  return answer;
}
