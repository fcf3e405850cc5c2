// Defines the translation of a chat completion to a backend's protocol and of its answer back
// (Gateway rule 14). Translations are pure.

import type { UsageReport } from '../usage/counts.ts';
import type { Chat } from './chat.ts';
import type { ProtocolRefusal } from './refusal.ts';

export type RequestOptions = Readonly<{
  /** The path of the provider's API base, without a trailing slash. */
  basePath: string;
  /** For requests without a limit. */
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
  /** For errors, and for answers without an id of the vendor's. */
  requestId: string;
  /** Used if the vendor does not return a model name. */
  model: string;
  /** Seconds since the epoch. */
  created: number;
  /** The client accepts one call at a time. Enforced here if the vendor has no such parameter. */
  singleToolCall: boolean;
  /** The answer must contain signed thinking as `thinking_blocks`, which a client can send back. */
  keepsThinking?: boolean;
}>;

export type StreamOptions = AnswerOptions & Readonly<{ includesUsage: boolean }>;

export type TranslatedResponse = Readonly<{
  status: number;
  body: Buffer;
  usage: UsageReport | null;
}>;

/** Buffers only incomplete events. */
export type TranslatedStream = {
  /** The chat chunks that these bytes complete, often none. */
  push(chunk: Buffer): Buffer;
  /** The remaining chunks after the upstream ended. */
  end(): Buffer;
  /** The vendor's end marker came without an error before it. */
  readonly isClean: boolean;
  /**
   * The status of the error that ended the stream, or null. If nothing was sent before it, the
   * request may be retried elsewhere.
   */
  readonly failedStatus: number | null;
  /** The same error as a complete response, for a client that has received nothing yet. */
  readonly failedBody: Buffer | null;
  /** Null until the stream ended cleanly, and if nothing was reported. */
  readonly usage: UsageReport | null;
};

export type AnswerTranslation = Readonly<{
  /** For an answer that is not a stream, and for every error status. */
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
