// Parses a chat completion request into the form that all translations read. Each request is
// validated once, whatever spelling it uses (wire reference 2.1).

import type { JsonObject } from './json.ts';

/** `at` is the part's path in the request, for error messages. */
export type ChatPart = Readonly<{ at: string }> &
  (
    | Readonly<{ kind: 'text'; text: string }>
    | Readonly<{ kind: 'image'; url: string }>
    | Readonly<{ kind: 'audio'; data: string; format: string }>
    /** `data` is a data URL or plain base64, and null if the file is referenced by id. */
    | Readonly<{ kind: 'file'; data: string | null; filename: string | null }>
  );

export type ChatToolCall = Readonly<{
  id: string;
  name: string;
  input: JsonObject;
  /**
   * Opaque data in `extra_content` that the vendor expects back with the call. Null if there is
   * none.
   */
  extraContent: JsonObject | null;
}>;

export type ChatMessage = Readonly<{ at: string }> &
  (
    | Readonly<{ role: 'system'; parts: readonly ChatPart[] }>
    | Readonly<{ role: 'user'; parts: readonly ChatPart[] }>
    | Readonly<{
        role: 'assistant';
        parts: readonly ChatPart[];
        toolCalls: readonly ChatToolCall[];
        /** Like `extraContent` of a call, for the whole message. */
        extraContent: JsonObject | null;
        /** Signed thinking, which is only sent to its vendor's backend. */
        thinkingBlocks?: readonly JsonObject[];
      }>
    | Readonly<{ role: 'tool'; toolCallId: string; parts: readonly ChatPart[] }>
  );

export type ChatTool = Readonly<{
  name: string;
  description: string | null;
  /** A JSON schema. Null if the function takes no arguments. */
  parameters: JsonObject | null;
  strict: boolean | null;
}>;

/** `names` limits the choice. A named function is `required` with one name. */
export type ChatToolChoice = Readonly<{
  mode: 'auto' | 'none' | 'required';
  names: readonly string[] | null;
}>;

export type ChatResponseFormat =
  | Readonly<{ kind: 'text' }>
  | Readonly<{ kind: 'json_object' }>
  | Readonly<{ kind: 'json_schema'; schema: JsonObject | null }>;

export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** Null means that the client did not set the value. */
export type Chat = Readonly<{
  messages: readonly ChatMessage[];
  tools: readonly ChatTool[];
  toolChoice: ChatToolChoice | null;
  parallelToolCalls: boolean | null;
  /** `max_completion_tokens`, or its older name `max_tokens`. */
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  /** Not part of the chat protocol, but common in practice. */
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  stop: readonly string[];
  responseFormat: ChatResponseFormat;
  reasoningEffort: ReasoningEffort | null;
  /** `user`, or its replacement `safety_identifier`. */
  user: string | null;
  isStream: boolean;
  /** True if the stream must end with the token counts. */
  includesUsage: boolean;
}>;
