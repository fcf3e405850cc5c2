// What a protocol does for a chat completion that goes out in it, and for the answer that comes back (Gateway
// rule 14). All of it is pure: bytes and values in, bytes and values out.

import type { Chat } from './chat.ts';
import type { ProtocolRefusal } from './refusal.ts';

export type RequestOptions = Readonly<{
  /** The path of the provider's API base, without a slash at its end. */
  basePath: string;
  /** The model's own, for a request that names none. */
  defaultMaxTokens: number | null;
}>;

export type TranslatedRequest = Readonly<{
  /** From the root of the origin, with the query. */
  path: string;
  /** Names in lower case and values, in turn; the credential is not among them. */
  headers: readonly string[];
  body: Buffer;
}>;

export type AnswerOptions = Readonly<{
  /** The id of an answer for which the vendor gives none, and of errors. */
  requestId: string;
  /** What the answer names when the vendor does not say which model answered. */
  model: string;
  /** Seconds since the epoch. */
  created: number;
  /** The client takes one call at a time: held to here where the vendor cannot be told. */
  singleToolCall: boolean;
  /** The answer must hold signed thinking as `thinking_blocks`, which a client can send back. */
  keepsThinking?: boolean;
}>;

export type StreamOptions = AnswerOptions & Readonly<{ includesUsage: boolean }>;

/** `promptTokens` counts what was read from a cache or written to one too. */
export type TranslatedUsage = Readonly<{
  promptTokens: number;
  completionTokens: number;
  /** Parts of the prompt and of the completion; null when the vendor does not say. */
  cachedTokens: number | null;
  cacheWriteTokens: number | null;
  reasoningTokens: number | null;
  /** What the provider itself says the answer cost, in whole units of its currency. */
  cost?: number | null;
}>;

export type TranslatedResponse = Readonly<{
  status: number;
  /** A chat completion or an error envelope, as JSON. */
  body: Buffer;
  usage: TranslatedUsage | null;
}>;

/** One answer on its way; nothing of it is kept but what is not yet a whole event. */
export type TranslatedStream = {
  /** The chat chunks that these bytes complete: often none. */
  push(chunk: Buffer): Buffer;
  /** The upstream has ended: what the client must still be told. */
  end(): Buffer;
  /** Whether the vendor's own mark of the end has come, and no error before it. */
  readonly isClean: boolean;
  /**
   * The status that the error means which ended the stream, null without one: of a stream that said nothing
   * before it, the request may still be tried elsewhere.
   */
  readonly failedStatus: number | null;
  /** That error as the whole answer to a request, for a client that has been told nothing yet. */
  readonly failedBody: Buffer | null;
  /** Null until a clean end, and when nothing was reported. */
  readonly usage: TranslatedUsage | null;
};

export type AnswerTranslation = Readonly<{
  /** Of a whole answer that is no stream, and of every answer with an error status. */
  translateResponse(status: number, body: Buffer, options: AnswerOptions): TranslatedResponse;
  openStream(options: StreamOptions): TranslatedStream;
}>;

export type ChatTranslation = AnswerTranslation &
  Readonly<{
    /** `model` is the upstream's name of it. */
    translateRequest(
      chat: Chat,
      model: string,
      options: RequestOptions,
    ): TranslatedRequest | ProtocolRefusal;
  }>;
