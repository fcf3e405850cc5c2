// Puts one interface over two versions of the Messages API client library, the newest and a widely
// used older one, so that one test runs with both. Their classes are not interchangeable.

import * as newest from '@anthropic-ai/sdk';
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import * as before from 'anthropic-sdk-0137';

export type Asked = {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: MessageParam[];
  readonly tools?: Tool[];
};

/** The part of a message that tests inspect. Its content can be sent back unchanged. */
export type ReceivedMessage = Readonly<{
  content: Exclude<MessageParam['content'], string>;
  stop_reason: string | null;
  usage: Readonly<{
    input_tokens: number;
    output_tokens: number;
    cache_read_input_tokens: number | null;
  }>;
}>;

type Given = Readonly<{ baseURL: string; apiKey: string; maxRetries: number }>;

export type MessagesClient = Readonly<{
  create(asked: Asked): Promise<ReceivedMessage>;
  /** The message that the library assembles from a stream. */
  stream(asked: Asked): Promise<ReceivedMessage>;
  /** The text of a message requested through the beta API with its header. */
  betaText(asked: Asked, beta: string): Promise<string>;
  requestId(asked: Asked): Promise<string | null | undefined>;
  count(asked: Pick<Asked, 'model' | 'messages'>): Promise<number>;
  modelIds(): Promise<readonly string[]>;
  /** The library's classes of errors. */
  errors: Errors;
}>;

type ErrorClass = abstract new (...given: never[]) => Error;

type Errors = Readonly<
  Record<
    | 'APIError'
    | 'BadRequestError'
    | 'AuthenticationError'
    | 'NotFoundError'
    | 'RateLimitError'
    | 'InternalServerError',
    ErrorClass
  >
>;

export const messagesClients: readonly Readonly<{
  name: string;
  open: (given: Given) => MessagesClient;
}>[] = [
  { name: 'of its newest major version', open: openNewest },
  { name: 'of version 0.137', open: openBefore },
];

function openNewest(given: Given): MessagesClient {
  const { messages, models, beta } = new newest.Anthropic(given);
  return {
    create: (asked) => messages.create(asked),
    stream: (asked) => messages.stream(asked).finalMessage(),
    betaText: (asked, name) => beta.messages.stream({ ...asked, betas: [name] }).finalText(),
    requestId: async (asked) => (await messages.create(asked).withResponse()).request_id,
    count: async (asked) => (await messages.countTokens(asked)).input_tokens,
    modelIds: () => idsOf(models.list()),
    errors: newest,
  };
}

function openBefore(given: Given): MessagesClient {
  const { messages, models, beta } = new before.Anthropic(given);
  return {
    create: (asked) => messages.create(asked),
    stream: (asked) => messages.stream(asked).finalMessage(),
    betaText: (asked, name) => beta.messages.stream({ ...asked, betas: [name] }).finalText(),
    requestId: async (asked) => (await messages.create(asked).withResponse()).request_id,
    count: async (asked) => (await messages.countTokens(asked)).input_tokens,
    modelIds: () => idsOf(models.list()),
    errors: before,
  };
}

/** The ids of all pages. */
async function idsOf(listed: AsyncIterable<Readonly<{ id: string }>>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of listed) ids.push(id);
  return ids;
}
