// Defines the translation of a chat completion to a backend's protocol and of its answer back
// (Gateway rule 14). Translations are pure: bytes and values in, bytes and values out.

import type { Chat } from './chat.ts';
import type { ProtocolRefusal } from './refusal.ts';

export type RequestOptions = Readonly<{
  /** The path of the provider's API base, without a trailing slash. */
  basePath: string;
  /** The model's default for requests without a limit. */
  defaultMaxTokens: number | null;
}>;

export type TranslatedRequest = Readonly<{
  /** The path with the query. */
  path: string;
  /** Alternating names (lower case) and values, without the credential. */
  headers: readonly string[];
  body: Buffer;
}>;

export type AnswerOptions = Readonly<{
  /** The id of errors, and of answers without one of the vendor's. */
  requestId: string;
  /** The model name in the answer if the vendor does not return one. */
  model: string;
  /** Seconds since the epoch. */
  created: number;
  /**
   * True if the client accepts one call at a time. Enforced here if the vendor has no such
   * parameter.
   */
  singleToolCall: boolean;
  /**
   * True if the answer must hold signed thinking as `thinking_blocks`, which a client can send
   * back.
   */
  keepsThinking?: boolean;
}>;

export type StreamOptions = AnswerOptions & Readonly<{ includesUsage: boolean }>;

/** `promptTokens` includes cache reads and writes. */
export type TranslatedUsage = Readonly<{
  promptTokens: number;
  completionTokens: number;
  /** Parts of the prompt and the completion. Null if the vendor does not report them. */
  cachedTokens: number | null;
  cacheWriteTokens: number | null;
  reasoningTokens: number | null;
  /** The cost as reported by the provider, in whole units of its currency. */
  cost?: number | null;
}>;

export type TranslatedResponse = Readonly<{
  status: number;
  /** A chat completion or an error envelope, as JSON. */
  body: Buffer;
  usage: TranslatedUsage | null;
}>;

/** Translates one streamed answer. Buffers only incomplete events. */
export type TranslatedStream = {
  /** Returns the chat chunks that these bytes complete, often none. */
  push(chunk: Buffer): Buffer;
  /** Returns the remaining chunks after the upstream ended. */
  end(): Buffer;
  /** True if the vendor's end marker came without an error before it. */
  readonly isClean: boolean;
  /**
   * The status of the error that ended the stream. Null without one. If nothing was sent before it,
   * the request may be retried elsewhere.
   */
  readonly failedStatus: number | null;
  /** The same error as a complete response, for a client that has received nothing yet. */
  readonly failedBody: Buffer | null;
  /** Null until the stream ended cleanly, and if nothing was reported. */
  readonly usage: TranslatedUsage | null;
};

export type AnswerTranslation = Readonly<{
  /** Translates an answer that is not a stream, and every answer with an error status. */
  translateResponse(status: number, body: Buffer, options: AnswerOptions): TranslatedResponse;
  openStream(options: StreamOptions): TranslatedStream;
}>;

export type ChatTranslation = AnswerTranslation &
  Readonly<{
    /** `model` is the upstream name. */
    translateRequest(
      chat: Chat,
      model: string,
      options: RequestOptions,
    ): TranslatedRequest | ProtocolRefusal;
  }>;
