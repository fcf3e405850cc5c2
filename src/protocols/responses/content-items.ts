// Writes content items and their events: thinking as the summary of a reasoning item, text and
// refusals as message content.

import type { ContentKind } from '../openai/chat-stream.ts';
import type { JsonObject } from '../json.ts';

type ItemForm = Readonly<{
  /** The prefix of the item's id. */
  prefix: string;
  item: (text: string, sealed: string | null, status: string) => JsonObject;
  /** The event types for a delta and for the complete text. */
  delta: string;
  done: string;
  part: Readonly<{
    added: string;
    done: string;
    /** The position of the part in its item. */
    at: JsonObject;
    of: (text: string) => JsonObject;
    /** Additional members of the text events. */
    textOf: (text: string) => JsonObject;
    more: JsonObject;
  }>;
}>;

const summaryPart = (text: string): JsonObject => ({ type: 'summary_text', text });
const textPart = (text: string): JsonObject => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
});
const refusalPart = (refusal: string): JsonObject => ({ type: 'refusal', refusal });

const reasoning: ItemForm = {
  prefix: 'rs',
  item: (text, sealed, status) => ({
    type: 'reasoning',
    summary: text === '' ? [] : [summaryPart(text)],
    encrypted_content: sealed,
    status,
  }),
  delta: 'response.reasoning_summary_text.delta',
  done: 'response.reasoning_summary_text.done',
  part: {
    added: 'response.reasoning_summary_part.added',
    done: 'response.reasoning_summary_part.done',
    at: { summary_index: 0 },
    of: summaryPart,
    textOf: (text) => ({ text }),
    more: {},
  },
};

const messageOf = (
  name: string,
  part: Pick<ItemForm['part'], 'of' | 'textOf' | 'more'>,
): ItemForm => ({
  prefix: 'msg',
  item: (text, _, status) => ({
    type: 'message',
    role: 'assistant',
    content: text === '' ? [] : [part.of(text)],
    status,
  }),
  delta: `response.${name}.delta`,
  done: `response.${name}.done`,
  part: {
    added: 'response.content_part.added',
    done: 'response.content_part.done',
    at: { content_index: 0 },
    ...part,
  },
});

export const itemForms: Readonly<Record<ContentKind, ItemForm>> = {
  thinking: reasoning,
  text: messageOf('output_text', {
    of: textPart,
    textOf: (text) => ({ text }),
    more: { logprobs: [] },
  }),
  refusal: messageOf('refusal', { of: refusalPart, textOf: (refusal) => ({ refusal }), more: {} }),
};
