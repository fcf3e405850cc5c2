// Reads the system prompt and the turns as messages of a chat. Calls become tool calls of the
// assistant, and tool results become messages before the user's other content. Thinking that a
// client sends back is dropped (specification, "Data plane").

import type { Protocol } from '../../lib/vocabulary.ts';
import type { ChatMessage, ChatPart, ChatToolCall } from '../chat.ts';
import { member } from '../json.ts';
import { below, mustBe, readBoolean, readName, readObject, readObjects } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid } from '../refusal.ts';
import { readBlock, readContent, refuseBlock, textPart } from './read-blocks.ts';

export function readConversation(field: Field, protocol: Protocol): readonly ChatMessage[] {
  const { object, refusals } = field;
  const parts = readContent(field, 'system', protocol);
  const system: readonly ChatMessage[] =
    parts.length === 0 ? [] : [{ role: 'system', at: 'system', parts }];
  const value = member(object, 'messages');
  if (!Array.isArray(value) || value.length === 0) {
    refusals.push(invalid('messages', mustBe('an array of at least one message', value)));
    return [];
  }
  const turns = readObjects(field, 'messages').flatMap((turn) => readTurn(turn, protocol));
  return [...system, ...turns];
}

function readTurn(turn: Field, protocol: Protocol): readonly ChatMessage[] {
  const { object, at, refusals } = turn;
  const role = member(object, 'role');
  switch (role) {
    case 'system':
      return unlessEmpty({ role, at, parts: readContent(turn, 'content', protocol) });
    case 'user':
      return readUserTurn(turn, protocol);
    case 'assistant':
      return readAssistantTurn(turn, protocol);
    default:
      refusals.push(invalid(below(at, 'role'), mustBe('one of user, assistant, system', role)));
      return [];
  }
}

const unlessEmpty = (message: ChatMessage): readonly ChatMessage[] =>
  message.parts.length === 0 && message.role !== 'tool' ? [] : [message];

function readUserTurn(turn: Field, protocol: Protocol): readonly ChatMessage[] {
  const { at } = turn;
  const results: ChatMessage[] = [];
  const parts: ChatPart[] = [];
  for (const block of blocksOf(turn)) {
    if (typeof block === 'string') parts.push(...textPart(block, below(at, 'content')));
    else if (member(block.object, 'type') === 'tool_result')
      results.push(resultOf(block, protocol));
    else parts.push(...readBlock(block, protocol));
  }
  return [...results, ...unlessEmpty({ role: 'user', at, parts })];
}

/** A chat cannot mark a tool result as an error. */
function resultOf(block: Field, protocol: Protocol): ChatMessage {
  const { at } = block;
  const toolCallId = readName(block, 'tool_use_id');
  const parts = readContent(block, 'content', protocol);
  const isError = readBoolean(block, 'is_error') ?? false;
  return { role: 'tool', at, toolCallId, parts: isError ? markedAsError(parts, at) : parts };
}

const errorMark = 'Error';

function markedAsError(parts: readonly ChatPart[], at: string): readonly ChatPart[] {
  const [first, ...others] = parts;
  if (first?.kind !== 'text') return [{ kind: 'text', text: errorMark, at }, ...parts];
  if (first.text.trimStart().toLowerCase().startsWith(errorMark.toLowerCase())) return parts;
  return [{ ...first, text: `${errorMark}: ${first.text}` }, ...others];
}

function readAssistantTurn(turn: Field, protocol: Protocol): readonly ChatMessage[] {
  const { at } = turn;
  const parts: ChatPart[] = [];
  const toolCalls: ChatToolCall[] = [];
  for (const block of blocksOf(turn)) {
    if (typeof block === 'string') {
      parts.push(...textPart(block, below(at, 'content')));
      continue;
    }
    switch (member(block.object, 'type')) {
      case 'text':
        parts.push(...readBlock(block, protocol));
        break;
      case 'tool_use':
        toolCalls.push(callOf(block));
        break;
      case 'thinking':
      case 'redacted_thinking':
        break;
      default:
        refuseBlock(block, protocol);
    }
  }
  const isSilent = parts.length === 0 && toolCalls.length === 0;
  return isSilent ? [] : [{ role: 'assistant', at, parts, toolCalls, extraContent: null }];
}

function callOf(block: Field): ChatToolCall {
  return {
    id: readName(block, 'id'),
    name: readName(block, 'name'),
    input: readObject(block, 'input') ?? {},
    extraContent: null,
  };
}

/** The text itself if the content is a string. */
function blocksOf(turn: Field): readonly (Field | string)[] {
  const content = member(turn.object, 'content') ?? null;
  if (typeof content === 'string') return [content];
  if (content === null) {
    const at = below(turn.at, 'content');
    turn.refusals.push(invalid(at, mustBe('a string or an array', content)));
  }
  return readObjects(turn, 'content');
}
