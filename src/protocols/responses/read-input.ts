// Reads the instructions and input as messages of a chat. The items of one earlier answer become
// one assistant message, and each tool result becomes a message.

import type { Protocol } from '../../lib/vocabulary.ts';
import type { ChatMessage, ChatPart, ChatToolCall } from '../chat.ts';
import { member } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { inputOf } from '../openai/read-calls.ts';
import { textPart } from '../messages/read-blocks.ts';
import { typeCharactersMax } from '../messages/read-tools.ts';
import { below, mustBe, readName, readObjects, readText } from '../read-fields.ts';
import type { Field } from '../read-fields.ts';
import { invalid, unsupported } from '../refusal.ts';
import { readParts } from './read-parts.ts';
import { customInput, readCalledName } from './read-tools.ts';
import { openSeal } from './seal.ts';
import type { Signer } from './seal.ts';

type Answer = {
  readonly at: string;
  readonly parts: ChatPart[];
  readonly toolCalls: ChatToolCall[];
  thinkingBlocks: readonly JsonObject[];
  extraContent: JsonObject | null;
};

export function readInput(field: Field, signer: Signer): readonly ChatMessage[] {
  const instructions = textPart(readText(field, 'instructions') ?? '', 'instructions');
  const system: readonly ChatMessage[] =
    instructions.length === 0 ? [] : [{ role: 'system', at: 'instructions', parts: instructions }];
  const input = member(field.object, 'input') ?? null;
  if (typeof input === 'string') {
    return [...system, { role: 'user', at: 'input', parts: textPart(input, 'input') }];
  }
  if (!Array.isArray(input) || input.length === 0) {
    field.refusals.push(invalid('input', mustBe('a string or an array of items', input)));
    return [];
  }
  return [...system, ...new Conversation(signer).read(readObjects(field, 'input'))];
}

class Conversation {
  readonly #signer: Signer;
  readonly #messages: ChatMessage[] = [];
  /** Assistant content of the current items. */
  #open: Answer | null = null;
  /** Signatures by the id of a call that follows. */
  readonly #signatures = new Map<string, JsonObject>();

  constructor(signer: Signer) {
    this.#signer = signer;
  }

  read(items: readonly Field[]): readonly ChatMessage[] {
    for (const item of items) this.#item(item);
    this.#endAnswer();
    return this.#messages;
  }

  #item(item: Field): void {
    const { object, at } = item;
    const { protocol } = this.#signer;
    const type = readText(item, 'type') ?? 'message';
    switch (type) {
      case 'message':
        return this.#message(item);
      case 'reasoning':
        return this.#reasoning(item);
      case 'function_call':
        return this.#call(item, inputOf(readText(item, 'arguments') ?? ''));
      case 'custom_tool_call':
        return this.#call(item, { [customInput]: readText(item, 'input') ?? '' });
      case 'function_call_output':
      case 'custom_tool_call_output': {
        this.#endAnswer();
        const parts = readParts(item, 'output', protocol);
        this.#messages.push({ role: 'tool', at, toolCallId: readName(item, 'call_id'), parts });
        return;
      }
      case 'item_reference':
        return refuseReference(item);
      default:
        refuseItem(item, member(object, 'type'), protocol);
    }
  }

  #message(item: Field): void {
    const { object, at, refusals } = item;
    const role = member(object, 'role');
    const parts = readParts(item, 'content', this.#signer.protocol);
    switch (role) {
      case 'assistant':
        this.#openAnswer(at).parts.push(...parts);
        return;
      case 'system':
      case 'developer':
      case 'user':
        this.#endAnswer();
        if (parts.length === 0) return;
        this.#messages.push({ role: role === 'user' ? role : 'system', at, parts });
        return;
      default: {
        const roles = 'one of user, assistant, system, developer';
        refusals.push(invalid(below(at, 'role'), mustBe(roles, role)));
      }
    }
  }

  /** Drops reasoning that another backend signed: only the signer can read it. */
  #reasoning(item: Field): void {
    const signed = openSeal(readText(item, 'encrypted_content') ?? '', this.#signer);
    if (signed === null) return;
    const { call, thinkingBlocks, extraContent } = signed;
    if (call !== null && extraContent !== null) this.#signatures.set(call, extraContent);
    else if (extraContent !== null) this.#openAnswer(item.at).extraContent = extraContent;
    if (thinkingBlocks.length === 0) return;
    // Thinking precedes the content that it led to.
    this.#endAnswer();
    this.#openAnswer(item.at).thinkingBlocks = thinkingBlocks;
  }

  #call(item: Field, input: JsonObject): void {
    const id = readName(item, 'call_id');
    const extraContent = this.#signatures.get(id) ?? null;
    const call = { id, name: readCalledName(item), input, extraContent };
    this.#openAnswer(item.at).toolCalls.push(call);
  }

  #openAnswer(at: string): Answer {
    this.#open ??= { at, parts: [], toolCalls: [], thinkingBlocks: [], extraContent: null };
    return this.#open;
  }

  #endAnswer(): void {
    const answer = this.#open;
    this.#open = null;
    if (answer === null || answer.parts.length + answer.toolCalls.length === 0) return;
    const { thinkingBlocks, ...message } = answer;
    const signed = thinkingBlocks.length === 0 ? {} : { thinkingBlocks };
    this.#messages.push({ role: 'assistant', ...message, ...signed });
  }
}

/** gw does not store items, so a client must send the item itself. */
function refuseReference({ at, refusals }: Field): void {
  const message = 'must not be item_reference: gw stores no items, so send the item itself';
  refusals.push(invalid(below(at, 'type'), message));
}

function refuseItem({ at, refusals }: Field, type: unknown, protocol: Protocol): void {
  const place = below(at, 'type');
  if (typeof type !== 'string') refusals.push(invalid(place, mustBe('a string', type)));
  else {
    const feature = `input items of type ${type.slice(0, typeCharactersMax)}`;
    refusals.push(unsupported(protocol, feature, place));
  }
}
