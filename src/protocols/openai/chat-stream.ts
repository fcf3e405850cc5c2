// Reads a streamed chat completion, chunk by chunk, and tells it in the words of another API, which a teller knows (wire reference
// 2.2). Nothing is kept but what is not yet a whole event, and what the teller keeps.

import { oversizedError, truncatedError } from '../chat-answer.ts';
import { isObject, listOf, member, objectOf, parseJson, textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';
import { errorMessage, errorStatus } from './error.ts';
import { readCalls } from './read-calls.ts';
import type { CallPiece } from './read-calls.ts';
import { readSaid } from './read-said.ts';
import { readChatUsage } from './usage.ts';
import { SseDecoder } from '../sse.ts';
import type { SseEvent } from '../sse.ts';
import type { TranslatedStream, TranslatedUsage } from '../translation.ts';

/** Writes what a chat says. Each function answers the events that it adds to the stream. */
export type Teller = {
  /** More waits than is kept. */
  readonly isOverflown: boolean;
  begin(chatId: string | null): string;
  say(kind: SaidKind, text: string): string;
  call(piece: CallPiece): string;
  /** What a vendor signed: a chunk that has it says what the client must send back. */
  signed?(delta: JsonObject): string;
  /** `choice` is the one with the reason to finish, or null. */
  finish(choice: JsonObject | null, usage: TranslatedUsage | null): string;
  /** `body` is the error as the whole answer, for a client that was told nothing before. */
  fail(status: number, message: string): Readonly<{ event: string; body: string }>;
};

export type SaidKind = 'thinking' | 'text' | 'refusal';

/** `statusOf` knows the status of an error better than the error itself does, where the chunks were translated. */
export const openChatStream = (
  teller: Teller,
  statusOf: () => number | null = () => null,
): TranslatedStream => new ChatStream(teller, statusOf);

const nothing = Buffer.alloc(0);
const endMark = '[DONE]';

class ChatStream implements TranslatedStream {
  isClean = false;
  failedStatus: number | null = null;
  failedBody: Buffer | null = null;
  readonly #teller: Teller;
  readonly #statusOf: () => number | null;
  readonly #decoder = new SseDecoder();
  #hasBegun = false;
  #isOver = false;
  /** The one that says why the answer ended. */
  #lastChoice: JsonObject | null = null;
  #usage: TranslatedUsage | null = null;

  constructor(teller: Teller, statusOf: () => number | null) {
    this.#teller = teller;
    this.#statusOf = statusOf;
  }

  get usage(): TranslatedUsage | null {
    return this.isClean ? this.#usage : null;
  }

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return nothing;
    let text = this.#read(this.#decoder.push(chunk));
    const isOverflown = this.#decoder.isOverflown || this.#teller.isOverflown;
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
    const begun = this.#hasBegun ? '' : this.#teller.begin(textOf(chunk, 'id'));
    this.#hasBegun = true;
    const delta = objectOf(choice, 'delta');
    const told = delta === null ? '' : tell(this.#teller, delta);
    if ((member(choice, 'finish_reason') ?? null) !== null) this.#lastChoice = choice;
    return begun + told;
  }

  #finish(): string {
    this.#isOver = true;
    this.isClean = true;
    return this.#teller.finish(this.#lastChoice, this.#usage);
  }

  #fail(status: number, message: string): string {
    this.#isOver = true;
    this.failedStatus = status;
    const { event, body } = this.#teller.fail(status, message);
    this.failedBody = Buffer.from(body);
    return event;
  }
}

/** `said` is the delta of a chunk, or a whole message. */
export function tell(teller: Teller, said: JsonObject): string {
  const { reasoning, text, refusal } = readSaid(said);
  let told = teller.say('thinking', reasoning);
  if (teller.signed !== undefined) told += teller.signed(said);
  told += teller.say('text', text) + teller.say('refusal', refusal);
  for (const piece of readCalls(said)) told += teller.call(piece);
  return told;
}

/** An answer of several choices is none that a client of this API asked for: the first is told. */
const isFirstChoice = (choice: unknown): choice is JsonObject =>
  isObject(choice) && (member(choice, 'index') ?? 0) === 0;
