// Reads a streamed chat completion, chunk by chunk, and passes its content to a writer for another
// API (wire reference 2.2). Buffers only incomplete events and what the writer keeps.

import type { UsageReport } from '../../usage/counts.ts';
import { oversizedError, truncatedError } from '../chat-answer.ts';
import { isObject, listOf, member, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { errorMessage, errorStatus } from './error.ts';
import { readCalls } from './read-calls.ts';
import type { CallPiece } from './read-calls.ts';
import { readContent } from './read-content.ts';
import { chatUsage } from './usage.ts';
import { SseDecoder } from '../sse.ts';
import type { SseEvent } from '../sse.ts';
import type { TranslatedStream } from '../translation.ts';

/** Each function returns the events that it adds to the stream. */
export type ChatWriter = {
  /** More deltas wait than allowed. */
  readonly isOverflown: boolean;
  begin(chatId: string | null): string;
  content(kind: ContentKind, text: string): string;
  call(piece: CallPiece): string;
  /** Data signed by a vendor, which the client must send back. */
  signed?(delta: JsonObject): string;
  /** `choice` is the one with the finish reason, or null. */
  finish(choice: JsonObject | null, usage: UsageReport | null): string;
  /** `body` is the error as a complete response, for a client that has received nothing yet. */
  fail(status: number, message: string): Readonly<{ event: string; body: string }>;
};

export type ContentKind = 'thinking' | 'text' | 'refusal';

/** `statusOf` returns a better status than the error has, if the chunks were translated. */
export const openChatStream = (
  writer: ChatWriter,
  statusOf: () => number | null = () => null,
): TranslatedStream => new ChatStream(writer, statusOf);

const nothing = Buffer.alloc(0);
const endMark = '[DONE]';

class ChatStream implements TranslatedStream {
  isClean = false;
  failedStatus: number | null = null;
  failedBody: Buffer | null = null;
  readonly #writer: ChatWriter;
  readonly #statusOf: () => number | null;
  readonly #decoder = new SseDecoder();
  #hasStarted = false;
  #isOver = false;
  #lastChoice: JsonObject | null = null;
  #usage: UsageReport | null = null;

  constructor(writer: ChatWriter, statusOf: () => number | null) {
    this.#writer = writer;
    this.#statusOf = statusOf;
  }

  get usage(): UsageReport | null {
    return this.isClean ? this.#usage : null;
  }

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.push(chunk));
    const isOverflown = this.#decoder.isOverflown || this.#writer.isOverflown;
    if (isOverflown && !this.#isOver) text += this.#fail(502, oversizedError.message);
    return text === '' ? nothing : Buffer.from(text);
  }

  end(): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.end());
    // Servers that omit the end marker still send the finish reason.
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
    return this.#hasStarted ? this.#finish() : this.#fail(502, truncatedError.message);
  }

  #chunk(chunk: JsonObject, isNamedError: boolean): string {
    if (isNamedError || (member(chunk, 'error') ?? null) !== null) {
      const status = this.#statusOf() ?? errorStatus(chunk);
      return this.#fail(status, errorMessage(chunk) ?? `the upstream answered ${status}`);
    }
    this.#usage = chatUsage(chunk) ?? this.#usage;
    const choice = listOf(chunk, 'choices').find(isFirstChoice);
    if (choice === undefined) return '';
    const start = this.#hasStarted ? '' : this.#writer.begin(textOf(chunk, 'id'));
    this.#hasStarted = true;
    const delta = objectOf(choice, 'delta');
    const written = delta === null ? '' : writeDelta(this.#writer, delta);
    if ((member(choice, 'finish_reason') ?? null) !== null) this.#lastChoice = choice;
    return start + written;
  }

  #finish(): string {
    this.#isOver = true;
    this.isClean = true;
    return this.#writer.finish(this.#lastChoice, this.#usage);
  }

  #fail(status: number, message: string): string {
    this.#isOver = true;
    this.failedStatus = status;
    const { event, body } = this.#writer.fail(status, message);
    this.failedBody = Buffer.from(body);
    return event;
  }
}

/** `delta` is the delta of a chunk, or a complete message. */
export function writeDelta(writer: ChatWriter, delta: JsonObject): string {
  const { reasoning, text, refusal } = readContent(delta);
  let written = writer.content('thinking', reasoning);
  if (writer.signed !== undefined) written += writer.signed(delta);
  written += writer.content('text', text) + writer.content('refusal', refusal);
  for (const piece of readCalls(delta)) written += writer.call(piece);
  return written;
}

/** Clients of this API cannot request several choices, so only the first is written. */
const isFirstChoice = (choice: unknown): choice is JsonObject =>
  isObject(choice) && (member(choice, 'index') ?? 0) === 0;
