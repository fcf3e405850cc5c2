// Translates the messages of a chat to contents and the system instruction. Consecutive messages of
// one side become one content, and tool results come first in their content.

import type { ChatMessage, ChatPart } from '../chat.ts';
import { invalid, unsupported } from '../refusal.ts';
import type { Refusals } from '../refusal.ts';
import { callPart, resultOf, signatureIn } from './calls.ts';
import type { KnownCall, PlacedResult } from './calls.ts';
import { userParts } from './content.ts';
import type { Part } from './content.ts';
import type { Target } from './target.ts';

type Turn = Readonly<{ role: 'user' | 'model'; results: PlacedResult[]; parts: Part[] }>;

type Conversation = Readonly<{
  /** By id, of the messages read so far. */
  calls: Map<string, KnownCall>;
  target: Target;
  refusals: Refusals;
}>;

export function conversationOf(
  messages: readonly ChatMessage[],
  target: Target,
  refusals: Refusals,
) {
  const system: Part[] = [];
  const turns: Turn[] = [];
  const conversation: Conversation = { calls: new Map(), target, refusals };
  for (const message of messages) {
    if (message.role === 'system') system.push(...textParts(message, refusals));
    else addTo(turnFor(turns, message), message, conversation);
  }
  const contents = turns.map(contentOf).filter(({ parts }) => parts.length > 0);
  if (contents.length > 0) {
    return { contents, ...(system.length > 0 && { systemInstruction: { parts: system } }) };
  }
  // The API requires at least one content, so instructions without one are sent as the user's.
  if (system.length === 0) refusals.push(invalid('messages', 'must not be empty'));
  return { contents: [{ role: 'user', parts: system }] };
}

/** An empty turn does not separate its neighbours. */
function turnFor(turns: Turn[], message: ChatMessage): Turn {
  const role = message.role === 'assistant' ? 'model' : 'user';
  const last = turns.findLast(({ results, parts }) => results.length + parts.length > 0);
  if (last?.role === role) return last;
  const turn: Turn = { role, results: [], parts: [] };
  turns.push(turn);
  return turn;
}

function addTo(turn: Turn, message: ChatMessage, conversation: Conversation): void {
  const { calls, target, refusals } = conversation;
  switch (message.role) {
    case 'system':
      return;
    case 'user':
      turn.parts.push(...userParts(message.parts, refusals));
      return;
    case 'tool': {
      const result = resultOf(message, calls, target, refusals);
      if (result !== null) turn.results.push(result);
      return;
    }
    case 'assistant':
      turn.parts.push(
        ...signedText(textParts(message, refusals), signatureIn(message.extraContent)),
      );
      for (const call of message.toolCalls) {
        const isFirst = !turn.parts.some((part) => 'functionCall' in part);
        calls.set(call.id, { name: call.name, order: turn.parts.length });
        turn.parts.push(callPart(call, target, isFirst));
      }
  }
}

/** The vendor sends a text's signature with its last piece. */
const signedText = (parts: readonly Part[], thoughtSignature: string | null): readonly Part[] =>
  thoughtSignature === null
    ? parts
    : parts.map((part, index) =>
        index === parts.length - 1 ? { ...part, thoughtSignature } : part,
      );

/**
 * Results follow the order of their calls, which is how the model distinguishes two calls of one
 * function.
 */
function contentOf({ role, results, parts }: Turn) {
  const placed = results.toSorted((a, b) => a.order - b.order);
  const mediaAfter = placed.flatMap((result) => result.mediaAfter);
  return { role, parts: [...placed.map(({ part }) => part), ...mediaAfter, ...parts] };
}

/** Only the user and tools may send something other than text. */
function textParts(
  { role, parts }: Readonly<{ role: string; parts: readonly ChatPart[] }>,
  refusals: Refusals,
): readonly Part[] {
  return parts.flatMap((part) => {
    if (part.kind === 'text') return [{ text: part.text }];
    const feature = `${part.kind} content parts in a message of role ${role}`;
    refusals.push(unsupported('gemini', feature, part.at));
    return [];
  });
}
