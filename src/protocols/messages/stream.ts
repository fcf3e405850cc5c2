// A streamed chat completion as the events of a message, chunk by chunk (specification, "Data plane":
// /v1/messages; wire reference 1.6, 2.2). Nothing is kept but what is not yet a whole event, and
// what has to wait for a call before it.

import { oversizedError, truncatedError } from '../chat-answer.ts';
import { isObject, listOf, member, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { SseDecoder } from '../sse.ts';
import type { SseEvent } from '../sse.ts';
import type { TranslatedStream, TranslatedUsage } from '../translation.ts';
import { BlockWriter } from './block-writer.ts';
import { errorMessage, errorStatus, errorText } from './error.ts';
import { errorEvent, messageEnd, messageStart, ping } from './message-events.ts';
import { readCalls } from './read-calls.ts';
import { readSaid } from './read-said.ts';
import { messageId } from './response.ts';
import type { MessageOptions } from './response.ts';
import { stopOf } from './stop-reason.ts';
import { readChatUsage } from './usage.ts';

/** `statusOf` knows better than an error itself what it is, where whoever made the chat chunks read it. */
export const openMessageStream = (
  options: MessageOptions,
  statusOf: () => number | null = () => null,
): TranslatedStream => new ChatStream(options, statusOf);

const nothing = Buffer.alloc(0);
const endMark = '[DONE]';

class ChatStream implements TranslatedStream {
  isClean = false;
  failedStatus: number | null = null;
  failedBody: Buffer | null = null;
  readonly #options: MessageOptions;
  readonly #statusOf: () => number | null;
  readonly #decoder = new SseDecoder();
  readonly #blocks: BlockWriter;
  #hasBegun = false;
  #isOver = false;
  #isRefused = false;
  /** The one that says why the answer ended. */
  #lastChoice: JsonObject | null = null;
  #usage: TranslatedUsage | null = null;

  constructor(options: MessageOptions, statusOf: () => number | null) {
    this.#options = options;
    this.#statusOf = statusOf;
    this.#blocks = new BlockWriter(options.requestId);
  }

  get usage(): TranslatedUsage | null {
    return this.isClean ? this.#usage : null;
  }

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.push(chunk));
    const isOverflown = this.#decoder.isOverflown || this.#blocks.isOverflown;
    if (isOverflown && !this.#isOver) text += this.#fail(502, oversizedError.message);
    return text === '' ? nothing : Buffer.from(text);
  }

  end(): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.end());
    // Servers that forget the mark of the end still say why the answer ended.
    if (!this.#isOver) {
      text += this.#lastChoice === null ? this.#fail(502, truncatedError.message) : this.#finish();
    }
    return Buffer.from(text);
  }

  #read(events: readonly SseEvent[]): string {
    let text = '';
    for (const { name, data } of events) {
      if (this.#isOver) break;
      if (data === endMark) text += this.#atMark();
      else {
        const chunk = parseJson(data);
        if (isObject(chunk)) text += this.#chunk(chunk, name === 'error');
      }
    }
    return text;
  }

  #atMark(): string {
    return this.#hasBegun ? this.#finish() : this.#fail(502, truncatedError.message);
  }

  #chunk(chunk: JsonObject, isNamedError: boolean): string {
    if (isNamedError || (member(chunk, 'error') ?? null) !== null) {
      const status = this.#statusOf() ?? errorStatus(chunk);
      return this.#fail(status, errorMessage(chunk) ?? `the upstream answered ${status}`);
    }
    const usage = objectOf(chunk, 'usage') ?? objectOf(objectOf(chunk, 'x_groq') ?? {}, 'usage');
    this.#usage = readChatUsage(usage) ?? this.#usage;
    const choice = listOf(chunk, 'choices').find(isFirstChoice);
    if (choice === undefined) return '';
    const begun = this.#hasBegun ? '' : this.#begin(textOf(chunk, 'id'));
    const delta = objectOf(choice, 'delta');
    const told = delta === null ? '' : this.#delta(delta);
    if ((member(choice, 'finish_reason') ?? null) !== null) this.#lastChoice = choice;
    return begun + told;
  }

  #begin(chatId: string | null): string {
    this.#hasBegun = true;
    const { requestId, model } = this.#options;
    return messageStart(messageId(chatId, requestId), model) + ping;
  }

  #delta(delta: JsonObject): string {
    const { reasoning, text, refusal } = readSaid(delta);
    if (refusal !== '') this.#isRefused = true;
    let told = this.#blocks.say('thinking', reasoning) + this.#blocks.say('text', text + refusal);
    for (const piece of readCalls(delta)) told += this.#blocks.call(piece);
    return told;
  }

  #finish(): string {
    this.#isOver = true;
    this.isClean = true;
    const before = this.#blocks.end();
    const stop = stopOf(this.#lastChoice ?? {}, {
      hasToolCalls: this.#blocks.hasCalls,
      isRefused: this.#isRefused,
      stopSequences: this.#options.stopSequences,
    });
    return before + messageEnd(stop, this.#usage);
  }

  #fail(status: number, message: string): string {
    this.#isOver = true;
    this.failedStatus = status;
    const text = errorText(status, message, this.#options.requestId);
    this.failedBody = Buffer.from(text);
    return errorEvent(text);
  }
}

/** An answer of several choices is none that a client of this API asked for: the first is told. */
const isFirstChoice = (choice: unknown): choice is JsonObject =>
  isObject(choice) && (member(choice, 'index') ?? 0) === 0;
