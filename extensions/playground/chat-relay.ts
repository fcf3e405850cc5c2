// Sends one chat to the gateway like any client, with a given key, and relays the answer. Users of
// the management UI can reach the admin listener, but often not the gateway.

import { rootCertificates } from 'node:tls';

import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

import type { GatewayPlace } from '../../src/admin/operations/program.ts';
import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';

type Chat = Readonly<{ key: string; body: Readonly<Record<string, unknown>> }>;

/** Error statuses of the gateway are not failures here. */
export type Relayed = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Text as it arrives. Rejects if the answer is cut off. */
  chunks: AsyncIterable<string>;
}>;

export type RelayChat = (chat: Chat, signal: AbortSignal) => Promise<Relayed | Refusal>;

const connectTimeoutMs = 5_000;
/** Longer than any gateway's time to the first byte. */
const silenceMs = 120_000;
const wholeMs = 600_000;
/** Longer answers are cut off. */
const answerBytesMax = 4 * 1024 * 1024;

/** These describe the gateway's decision. */
const told = /^(?:x-gw-.+|x-request-id|x-ratelimit-.+|retry-after|content-type)$/;

export function createChatRelay(gateway: () => GatewayPlace | undefined): RelayChat {
  return async ({ key, body }, signal) => {
    const { url, ca } = gateway() ?? { url: () => null, ca: [] };
    const address = url();
    if (address === null) {
      return refuse('absent', 'the address of the gateway is unknown; set --gateway-url');
    }
    const dispatcher = new Agent({
      connect: {
        timeout: connectTimeoutMs,
        ...(ca.length === 0 ? {} : { ca: [...rootCertificates, ...ca] }),
      },
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
    try {
      const answer = await request(`${address}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(wholeMs)]),
        dispatcher,
      });
      const headers = toldHeaders(answer.headers);
      return { status: answer.statusCode, headers, chunks: textOf(answer.body, dispatcher) };
    } catch (error) {
      await dispatcher.destroy();
      return refuse('upstream', `the gateway at ${address} did not answer: ${reasonOf(error)}`);
    }
  };
}

const toldHeaders = (given: Dispatcher.ResponseData['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value !== undefined && told.test(name) ? [[name, [value].flat().join(', ')]] : [],
    ),
  );

async function* textOf(body: AsyncIterable<Buffer>, dispatcher: Agent): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let taken = 0;
  try {
    for await (const bytes of body) {
      taken += bytes.length;
      if (taken > answerBytesMax) throw new Error(`it is longer than ${answerBytesMax} bytes`);
      yield decoder.decode(bytes, { stream: true });
    }
  } finally {
    await dispatcher.destroy();
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : String(error);
