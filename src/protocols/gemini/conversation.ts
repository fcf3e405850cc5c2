// The messages of a chat as contents and the system instruction: instructions are lifted out, what one
// side says in a row is one content, and the results of tools come first in the one that brings them.

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
  /** By id, as far as the messages have been read. */
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
  // The API wants a content: instructions that stand alone are what the user says.
  if (system.length === 0) refusals.push(invalid('messages', 'must say something'));
  return { contents: [{ role: 'user', parts: system }] };
}

/** A turn that nothing was said in does not part its neighbours. */
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

/** The vendor gives a text's signature with the last piece of it. */
const signedText = (parts: readonly Part[], thoughtSignature: string | null): readonly Part[] =>
  thoughtSignature === null
    ? parts
    : parts.map((part, index) =>
        index === parts.length - 1 ? { ...part, thoughtSignature } : part,
      );

/** Results stand in the order of their calls, by which the model tells two of one function apart. */
function contentOf({ role, results, parts }: Turn) {
  const placed = results.toSorted((a, b) => a.order - b.order);
  const beside = placed.flatMap((result) => result.beside);
  return { role, parts: [...placed.map(({ part }) => part), ...beside, ...parts] };
}

/** Only the user and tools may show something other than text. */
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
