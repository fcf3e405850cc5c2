// Writes chat content as a response: the output items, their events, and the whole response at the
// end. Items are numbered in the order in which they start
// (https://platform.openai.com/docs/api-reference/responses-streaming).

import type { UsageReport } from '../../usage/counts.ts';
import { commonTier, errorText, inputDetails, outputDetails, toolUse } from '../chat-answer.ts';
import type { ContentKind, ChatWriter } from '../openai/chat-stream.ts';
import { isObject, listOf, member, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { pushPiece } from '../openai/open-calls.ts';
import type { OpenCall } from '../openai/open-calls.ts';
import type { CallPiece } from '../openai/read-calls.ts';
import { customInput } from './read-tools.ts';
import type { NamedTool, ToolNames } from './read-tools.ts';
import { itemForms } from './content-items.ts';
import { seal } from './seal.ts';
import type { Signed, Signer } from './seal.ts';

export type ResponseOptions = Readonly<{
  requestId: string;
  /** The name that the client requested. */
  model: string;
  /** Seconds since the epoch. */
  created: number;
  echo: JsonObject;
  names: ToolNames;
  signer: Signer;
}>;

type ContentItem = Readonly<{ kind: ContentKind; place: Place }> & {
  text: string;
  sealed: string | null;
};
type CallItem = Readonly<{ callId: string; tool: NamedTool; place: Place }> & { text: string };
type Place = Readonly<{ item_id: string; output_index: number }>;

/** The last event repeats the whole output. */
const keptCharactersMax = 16 * 1024 * 1024;

export class ResponseWriter implements ChatWriter {
  /** The final text, as the client receives it. */
  response: JsonObject;
  readonly #options: ResponseOptions;
  readonly #output: JsonObject[] = [];
  #sequence = 0;
  #itemCount = 0;
  #keptCharacters = 0;
  #open: ContentItem | null = null;
  #calls: OpenCall[] = [];
  readonly #callItems = new Map<OpenCall, CallItem>();

  constructor(options: ResponseOptions) {
    this.#options = options;
    this.response = this.#responseOf('in_progress');
  }

  get isOverflown(): boolean {
    return this.#keptCharacters > keptCharactersMax;
  }

  begin(): string {
    const { response } = this;
    return (
      this.#event('response.created', { response }) +
      this.#event('response.in_progress', { response })
    );
  }

  content(kind: ContentKind, text: string): string {
    if (text === '') return '';
    const before = this.#open?.kind === kind ? '' : this.#openItem(kind);
    const item = this.#open;
    if (item === null) return before;
    this.#keptCharacters += text.length;
    item.text += text;
    const { delta, part } = itemForms[kind];
    return before + this.#event(delta, { ...item.place, ...part.at, delta: text, ...part.more });
  }

  /**
   * Signed thinking completes its item. Other signatures get an item of their own without visible
   * content.
   */
  signed(delta: JsonObject): string {
    const thinkingBlocks = listOf(delta, 'thinking_blocks').filter(isObject);
    const extraContent = objectOf(delta, 'extra_content');
    if (thinkingBlocks.length === 0 && extraContent === null) return '';
    return this.#sign({ call: null, thinkingBlocks, extraContent }, isWhole);
  }

  call(piece: CallPiece): string {
    this.#keptCharacters += piece.arguments.length;
    const call = pushPiece(this.#calls, piece);
    if (call === null || call.name === null) return '';
    const known = this.#callItems.get(call);
    const before = known === undefined ? this.#openCall(call, call.name, piece) : '';
    const item = known ?? this.#callItems.get(call);
    const text = call.waiting;
    if (item === undefined || text === '') return before;
    call.waiting = '';
    item.text += text;
    if (item.tool.isCustom) return before;
    return (
      before + this.#event('response.function_call_arguments.delta', { ...item.place, delta: text })
    );
  }

  finish(choice: JsonObject | null, usage: UsageReport | null): string {
    const before = this.#closeItem() + this.#closeCalls(() => true);
    const reason = reasons.get(member(choice ?? {}, 'finish_reason')) ?? null;
    const status = reason === null ? 'completed' : 'incomplete';
    const tier = usage?.serviceTier ?? null;
    this.response = {
      ...this.#responseOf(status),
      incomplete_details: reason === null ? null : { reason },
      usage: usage === null ? null : usageOf(usage),
      ...(tier !== null && { service_tier: commonTier(tier) }),
    };
    return before + this.#event(`response.${status}`, { response: this.response });
  }

  fail(status: number, message: string): Readonly<{ event: string; body: string }> {
    const code = status === 429 ? 'rate_limit_exceeded' : 'server_error';
    this.response = { ...this.#responseOf('failed'), error: { code, message } };
    return {
      event: this.#event('response.failed', { response: this.response }),
      body: errorBody(message, this.#options.requestId),
    };
  }

  #event(type: string, members: JsonObject): string {
    const data = JSON.stringify({ type, ...members, sequence_number: this.#sequence++ });
    return `event: ${type}\ndata: ${data}\n\n`;
  }

  #responseOf(status: string): JsonObject {
    const { requestId, model, created, echo } = this.#options;
    return {
      id: `resp_${requestId}`,
      object: 'response',
      created_at: created,
      status,
      error: null,
      incomplete_details: null,
      model,
      // An open item has no final position yet.
      output: Object.values(this.#output),
      previous_response_id: null,
      store: false,
      truncation: 'disabled',
      usage: null,
      ...echo,
    };
  }

  #placeOf(prefix: string): Place {
    const index = this.#itemCount++;
    return { item_id: `${prefix}_${this.#options.requestId}_${index}`, output_index: index };
  }

  #added(place: Place, item: JsonObject): string {
    const { item_id: id, output_index } = place;
    return this.#event('response.output_item.added', { output_index, item: { id, ...item } });
  }

  #done(place: Place, item: JsonObject): string {
    const { item_id: id, output_index } = place;
    const whole = { id, ...item };
    this.#output[output_index] = whole;
    return this.#event('response.output_item.done', { output_index, item: whole });
  }

  #openItem(kind: ContentKind): string {
    const before = this.#closeItem() + this.#closeCalls(isWhole);
    const { prefix, item, part } = itemForms[kind];
    const place = this.#placeOf(prefix);
    this.#open = { kind, place, text: '', sealed: null };
    const added = this.#added(place, item('', null, 'in_progress'));
    return before + added + this.#event(part.added, { ...place, ...part.at, part: part.of('') });
  }

  #closeItem(): string {
    const open = this.#open;
    if (open === null) return '';
    this.#open = null;
    const { place, text, sealed, kind } = open;
    const { done, item, part } = itemForms[kind];
    return (
      this.#event(done, { ...place, ...part.at, ...part.textOf(text), ...part.more }) +
      this.#event(part.done, { ...place, ...part.at, part: part.of(text) }) +
      this.#done(place, item(text, sealed, 'completed'))
    );
  }

  /** `isOver` marks calls that precede this item. */
  #sign(signed: Signed, isOver: (call: OpenCall) => boolean): string {
    const sealed = seal(this.#options.signer, signed);
    if (sealed === null) return '';
    this.#keptCharacters += sealed.length;
    if (this.#open?.kind === 'thinking') {
      this.#open.sealed = sealed;
      return this.#closeItem();
    }
    const before = this.#closeItem() + this.#closeCalls(isOver);
    const { prefix, item } = itemForms.thinking;
    const place = this.#placeOf(prefix);
    const added = this.#added(place, item('', null, 'in_progress'));
    return before + added + this.#done(place, item('', sealed, 'completed'));
  }

  #openCall(call: OpenCall, name: string, { extraContent }: CallPiece): string {
    const { names, requestId } = this.#options;
    const callId = call.id ?? `call_${requestId}_${this.#itemCount}`;
    const isBefore = (other: OpenCall): boolean => other !== call && isWhole(other);
    const signed = { call: callId, thinkingBlocks: [], extraContent };
    const before = extraContent === null ? '' : this.#sign(signed, isBefore);
    const after = before + this.#closeItem() + this.#closeCalls(isBefore);
    const tool = names.get(name) ?? { name, namespace: null, isCustom: false };
    const place = this.#placeOf(tool.isCustom ? 'ctc' : 'fc');
    const item = { callId, tool, place, text: '' };
    this.#callItems.set(call, item);
    return after + this.#added(place, callForm(item, '', 'in_progress'));
  }

  /** A call with incomplete arguments stays open until the answer ends. */
  #closeCalls(isOver: (call: OpenCall) => boolean): string {
    const over = this.#calls.filter(isOver);
    this.#calls = this.#calls.filter((call) => !over.includes(call));
    return over.map((call) => this.#closeCall(call)).join('');
  }

  #closeCall(call: OpenCall): string {
    const item = this.#callItems.get(call);
    if (item === undefined) return '';
    const { place, tool, text } = item;
    const status = call.progress.isWhole || text === '' ? 'completed' : 'incomplete';
    if (!tool.isCustom) {
      const given = text === '' ? '{}' : text;
      const done = { ...place, name: tool.name, arguments: given };
      return (
        this.#event('response.function_call_arguments.done', done) +
        this.#done(place, callForm(item, given, status))
      );
    }
    const input = customInputOf(text);
    return (
      this.#event('response.custom_tool_call_input.delta', { ...place, delta: input }) +
      this.#event('response.custom_tool_call_input.done', { ...place, input }) +
      this.#done(place, callForm(item, input, status))
    );
  }
}

/** The error envelope as the whole response. */
export const errorBody = (message: string, requestId: string): string =>
  errorText({ message, type: 'upstream_error', code: null }, requestId);

const isWhole = ({ progress }: OpenCall): boolean => progress.isWhole;

const callForm = ({ callId, tool }: CallItem, given: string, status: string): JsonObject => ({
  type: tool.isCustom ? 'custom_tool_call' : 'function_call',
  call_id: callId,
  name: tool.name,
  ...(tool.namespace !== null && { namespace: tool.namespace }),
  [tool.isCustom ? 'input' : 'arguments']: given,
  status,
});

/** Output that does not follow the format is still returned. */
function customInputOf(text: string): string {
  const given = parseJson(text);
  return (isObject(given) ? textOf(given, customInput) : null) ?? text;
}

/** By finish reason: why a response is incomplete. */
const reasons: ReadonlyMap<unknown, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

const usageOf = (usage: UsageReport): JsonObject => ({
  input_tokens: usage.promptTokens,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, ...inputDetails(usage) },
  output_tokens: usage.completionTokens,
  output_tokens_details: { reasoning_tokens: 0, ...outputDetails(usage) },
  total_tokens: usage.promptTokens + usage.completionTokens,
  ...toolUse(usage.serverToolCalls),
});
