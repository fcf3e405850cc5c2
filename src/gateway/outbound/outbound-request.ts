// Shared parts of all upstream requests: the headers, and how the answer is read.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { Chat } from '../../protocols/chat.ts';
import { isProtocolRefusal } from '../../protocols/refusal.ts';
import type { ProtocolRefusal } from '../../protocols/refusal.ts';
import type {
  AnswerTranslation,
  ChatTranslation,
  StreamOptions,
} from '../../protocols/translation.ts';
import type { CompiledBackend } from '../../snapshot/compile/models.ts';
import type { Sending } from '../sending.ts';
import type { UpstreamRequest } from '../transport/boundary.ts';
import { isForeign, withCredential } from './sent-headers.ts';
import type { Walk } from '../walk.ts';

/** For the answer of a backend with another protocol. */
export type AnswerReading = Readonly<{
  translation: AnswerTranslation;
  isStream: boolean;
  options: StreamOptions;
}>;

type CredentialRequest = UpstreamRequest &
  Readonly<{
    /** In the headers. It must not be repeated to the client. */
    credential: string | null;
  }>;

export type Outbound = Readonly<{
  request: CredentialRequest;
  /** Null when the answer is relayed unchanged. */
  reading: AnswerReading | null;
  /** The backend may not serve this route. It is then called through another API. */
  mayLackRoute?: boolean;
}>;

type Asked = Readonly<{ path: string; headers: readonly string[]; body: readonly Buffer[] }>;

/** `headers` do not include the credential. */
export function upstreamRequest(
  backend: CompiledBackend,
  { walk, headers: given }: Sending,
  { path, headers, body }: Asked,
): CredentialRequest {
  const { exchange, context } = walk;
  const isRepeated = exchange.repeatsHead && headers === given;
  return {
    path,
    headers: isRepeated
      ? context.sentHeaders.of(backend, headers)
      : withCredential(headers, backend),
    isRepeated,
    ownHeaders: ['x-request-id', exchange.requestId, 'accept-encoding', 'identity'],
    credential: backend.credential,
    body,
    firstByteMs: backend.firstByteMs ?? context.firstByteMs,
  };
}

/** `answer` reads the answer to `ask` when the client needs another format. */
export function translated(
  backend: CompiledBackend,
  sending: Sending,
  { chat, ask, answer }: Readonly<{ chat: Chat; ask: ChatTranslation; answer: AnswerTranslation }>,
): Outbound | ProtocolRefusal {
  const { protocol, upstreamModel, basePath, defaultMaxTokens } = backend;
  const asked = ask.translateRequest(chat, upstreamModel, { basePath, defaultMaxTokens });
  if (isProtocolRefusal(asked)) return asked;
  const headers = [...ownHeaders(sending.headers, protocol), ...asked.headers];
  return {
    request: upstreamRequest(backend, sending, { path: asked.path, headers, body: [asked.body] }),
    reading: readingOf(chat, upstreamModel, { walk: sending.walk, translation: answer }),
  };
}

/** A chat from another API, for a backend that supports chat. */
export function chatRequest(
  backend: CompiledBackend,
  sending: Sending,
  { chat, body, answer }: Readonly<{ chat: Chat; body: Buffer; answer: AnswerTranslation }>,
): Outbound {
  const { protocol, upstreamModel, basePath } = backend;
  const accept = chat.isStream ? 'text/event-stream' : 'application/json';
  const own = ['content-type', 'application/json', 'accept', accept];
  const headers = [...ownHeaders(sending.headers, protocol), ...own];
  const path = `${basePath}/chat/completions`;
  return {
    request: upstreamRequest(backend, sending, { path, headers, body: [body] }),
    reading: readingOf(chat, upstreamModel, { walk: sending.walk, translation: answer }),
  };
}

const readingOf = (
  chat: Chat,
  model: string,
  { walk, translation }: Readonly<{ walk: Walk; translation: AnswerTranslation }>,
): AnswerReading => ({
  translation,
  isStream: chat.isStream,
  options: {
    requestId: walk.exchange.requestId,
    model,
    created: Math.floor(walk.context.now() / 1000),
    singleToolCall: chat.parallelToolCalls === false,
    includesUsage: chat.includesUsage,
  },
});

/** Translations set their own content headers, and vendor headers are not sent to other vendors. */
function ownHeaders(headers: readonly string[], protocol: Protocol): readonly string[] {
  const isLeftOut = (name: string): boolean =>
    name === 'accept' ||
    name === 'content-type' ||
    name.startsWith('openai-') ||
    isForeign(name, protocol);
  return headers.filter((_, index) => !isLeftOut(headers[index - (index % 2)] ?? ''));
}
