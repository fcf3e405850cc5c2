// Translates the messages of a chat to the system prompt and turns of the Messages API.
// Instructions move to the system prompt, turns alternate, and tool results come first in their
// turn.

import type { ChatMessage, ChatPart, ChatToolCall } from '../chat.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';
import { contentBlocks, textBlock } from './content.ts';
import type { Block } from './content.ts';

type Turn = Readonly<{ role: 'user' | 'assistant'; results: Block[]; blocks: Block[] }>;

export function conversationOf(messages: readonly ChatMessage[], refusals: Refusals) {
  const system: Block[] = [];
  const turns: Turn[] = [];
  for (const message of messages) {
    if (message.role === 'system') system.push(...textBlocks(message, refusals));
    else addTo(turnFor(turns, message), message, refusals);
  }
  const alternating = turns.flatMap(({ role, results, blocks }) => {
    const content = [...results, ...blocks];
    return content.length === 0 ? [] : [{ role, content }];
  });
  if (alternating.length > 0) {
    return { ...(system.length > 0 && { system: cached(system) }), messages: alternating };
  }
  // The API requires at least one turn, so instructions without one are sent as the user's.
  if (system.length === 0) refusals.push(invalid('messages', 'must not be empty'));
  return { messages: [{ role: 'user', content: system }] };
}

/**
 * Marks the last block that is the same in every turn: prompt caching covers everything up to it.
 */
const cached = (system: readonly Block[]): readonly Block[] =>
  system.map((block, index) =>
    index === system.length - 1 ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );

/** An empty turn does not separate its neighbours. */
function turnFor(turns: Turn[], message: ChatMessage): Turn {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  const last = turns.findLast(({ results, blocks }) => results.length + blocks.length > 0);
  if (last?.role === role) return last;
  const turn: Turn = { role, results: [], blocks: [] };
  turns.push(turn);
  return turn;
}

function addTo(turn: Turn, message: ChatMessage, refusals: Refusals): void {
  switch (message.role) {
    case 'tool':
      turn.results.push({
        type: 'tool_result',
        tool_use_id: toolUseId(message.toolCallId),
        ...resultContent(message.parts, refusals),
      });
      return;
    case 'assistant':
      turn.blocks.push(...(message.thinkingBlocks ?? []), ...textBlocks(message, refusals));
      turn.blocks.push(...message.toolCalls.map(toolUse));
      return;
    case 'system':
      return;
    case 'user':
      turn.blocks.push(...contentBlocks(message.parts, refusals));
  }
}

const toolUse = ({ id, name, input }: ChatToolCall): Block => ({
  type: 'tool_use',
  id: toolUseId(id),
  name,
  input,
});

/** Replaces characters that the API rejects: another backend may have named the call. */
const toolUseId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, '_');

function resultContent(parts: readonly ChatPart[], refusals: Refusals) {
  const [first] = parts;
  if (first === undefined) return {};
  if (parts.length === 1 && first.kind === 'text') return { content: first.text };
  return { content: contentBlocks(parts, refusals) };
}

/** Only the user and tools may send something other than text. */
function textBlocks(
  { role, parts }: Readonly<{ role: string; parts: readonly ChatPart[] }>,
  refusals: Refusals,
): readonly Block[] {
  const blocks = parts.map((part) => {
    if (part.kind === 'text') return textBlock(part.text);
    const feature = `${part.kind} content parts in a message of role ${role}`;
    refusals.push(unsupported('anthropic', feature, part.at));
    return null;
  });
  return blocks.filter((block) => block !== null);
}
