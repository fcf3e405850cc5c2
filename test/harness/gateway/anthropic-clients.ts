// The client library of the Messages API, as it is and as most programs still have it, behind one shape: a test
// that is written once holds for both. Neither's classes stand for the other's.

import * as newest from '@anthropic-ai/sdk';
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import * as before from 'anthropic-sdk-0137';

export type Asked = {
  readonly model: string;
  readonly max_tokens: number;
  readonly messages: MessageParam[];
  readonly tools?: Tool[];
};

/** As much of a message as tests look at; its content can be sent back as it is. */
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
  /** What the library adds up of a stream. */
  stream(asked: Asked): Promise<ReceivedMessage>;
  /** The same, by the API's beta and its header. */
  betaText(asked: Asked, beta: string): Promise<string>;
  requestId(asked: Asked): Promise<string | null | undefined>;
  count(asked: Pick<Asked, 'model' | 'messages'>): Promise<number>;
  modelIds(): Promise<readonly string[]>;
  /** The library's classes of errors, by what the tests provoke. */
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

/** Of all pages. */
async function idsOf(listed: AsyncIterable<Readonly<{ id: string }>>): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of listed) ids.push(id);
  return ids;
}
