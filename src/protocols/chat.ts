// A chat completion request as both vendors' translations read it: checked once, in one shape
// whatever spelling it came in (wire reference 2.1).

import type { JsonObject } from './json.ts';

/** `at` is where the part stands in the request, for a refusal to name. */
export type ChatPart = Readonly<{ at: string }> &
  (
    | Readonly<{ kind: 'text'; text: string }>
    | Readonly<{ kind: 'image'; url: string }>
    | Readonly<{ kind: 'audio'; data: string; format: string }>
    /** `data` is a data URL or plain base64; null where the file is named by its id. */
    | Readonly<{ kind: 'file'; data: string | null; filename: string | null }>
  );

export type ChatToolCall = Readonly<{
  id: string;
  name: string;
  /** The parsed arguments. */
  input: JsonObject;
  /** What a vendor wants back with the call, as it gave it in `extra_content`; null when there is none. */
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
        /** As of a call, for what the message says itself. */
        extraContent: JsonObject | null;
        /** Thinking that the vendor signed, as it gave it: only its own backend is sent it. */
        thinkingBlocks?: readonly JsonObject[];
      }>
    | Readonly<{ role: 'tool'; toolCallId: string; parts: readonly ChatPart[] }>
  );

export type ChatTool = Readonly<{
  name: string;
  description: string | null;
  /** A JSON schema; null when the function takes nothing. */
  parameters: JsonObject | null;
  strict: boolean | null;
}>;

/** `names` limits the choice to these functions; a named function is `required` with one name. */
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

/** Null is "not asked for" throughout. */
export type Chat = Readonly<{
  messages: readonly ChatMessage[];
  tools: readonly ChatTool[];
  toolChoice: ChatToolChoice | null;
  parallelToolCalls: boolean | null;
  /** `max_completion_tokens`, or its older name `max_tokens`. */
  maxTokens: number | null;
  temperature: number | null;
  topP: number | null;
  /** No part of the chat protocol, but common beside it. */
  topK: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  stop: readonly string[];
  responseFormat: ChatResponseFormat;
  reasoningEffort: ReasoningEffort | null;
  /** `user`, or `safety_identifier`, which takes its place. */
  user: string | null;
  isStream: boolean;
  /** Whether a stream is to end with the token counts. */
  includesUsage: boolean;
}>;
