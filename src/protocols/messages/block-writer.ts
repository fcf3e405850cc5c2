// Puts what a chat says into content blocks that follow each other, as the Messages API has them: one
// is open at a time, and each has the next index. Calls whose pieces come mixed are put in order: what
// is said or belongs to a later call waits until the one before it is whole.

import {
  blockStart,
  blockStop,
  inputDelta,
  signatureDelta,
  textDelta,
  thinkingDelta,
  toolStart,
} from './message-events.ts';
import type { BlockKind } from './message-events.ts';
import { pushPiece } from '../openai/open-calls.ts';
import type { OpenCall } from '../openai/open-calls.ts';
import { toolUseId } from '../openai/read-calls.ts';
import type { CallPiece } from '../openai/read-calls.ts';

type Later = { readonly kind: 'text' | 'thinking'; text: string };

/** So much may wait for the calls before it. */
const waitingCharactersMax = 4 * 1024 * 1024;

export class BlockWriter {
  /** Whether any call has been told. */
  hasCalls = false;
  /** More waits than is kept. */
  isOverflown = false;
  readonly #requestId: string;
  #index = 0;
  #open: BlockKind | null = null;
  /** Those that are not closed, the one that is being told first. */
  #calls: OpenCall[] = [];
  #callCount = 0;
  /** What was said while a call was not whole. */
  #later: Later[] = [];
  #waitingCharacters = 0;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  say(kind: 'text' | 'thinking', text: string): string {
    if (text === '') return '';
    if (this.#calls.some(({ progress }) => !progress.isWhole)) {
      this.#wait(text);
      const last = this.#later.at(-1);
      if (last?.kind === kind) last.text += text;
      else this.#later.push({ kind, text });
      return '';
    }
    return this.#tellLater() + this.#tell(kind, text);
  }

  call(piece: CallPiece): string {
    const call = pushPiece(this.#calls, piece);
    if (call === null) return '';
    if (this.#calls[0] !== call) this.#wait(piece.arguments);
    return this.#tellCalls(false);
  }

  end(): string {
    return this.#tellCalls(true) + this.#tellLater() + this.#close();
  }

  #wait(text: string): void {
    this.#waitingCharacters += text.length;
    if (this.#waitingCharacters > waitingCharactersMax) this.isOverflown = true;
  }

  #tellLater(): string {
    const later = this.#later;
    if (later.length === 0) return '';
    this.#later = [];
    return later.map(({ kind, text }) => this.#tell(kind, text)).join('');
  }

  #tell(kind: Later['kind'], text: string): string {
    const entered = this.#enter(kind);
    return entered + (kind === 'text' ? textDelta : thinkingDelta)(this.#index, text);
  }

  #enter(kind: Later['kind']): string {
    if (this.#open === kind) return '';
    const before = this.#tellCalls(true) + this.#close();
    this.#open = kind;
    return before + blockStart(this.#index, kind);
  }

  #close(): string {
    const kind = this.#open;
    if (kind === null) return '';
    this.#open = null;
    const index = this.#index++;
    return (kind === 'thinking' ? signatureDelta(index, '') : '') + blockStop(index);
  }

  /** Tells of the first call, and of those behind it as far as the ones before them are whole. */
  #tellCalls(isEnd: boolean): string {
    let told = '';
    for (;;) {
      const [call, next] = this.#calls;
      if (call === undefined) return told;
      told += this.#tellCall(call);
      if (!isEnd && (next === undefined || !call.progress.isWhole)) return told;
      this.#calls.shift();
      if (this.#open === 'tool_use') told += this.#close();
    }
  }

  /** A call that has no name yet cannot be told of. */
  #tellCall(call: OpenCall): string {
    const { name, waiting } = call;
    if (name === null) return '';
    let told = '';
    if (this.#open !== 'tool_use') {
      told += this.#close();
      this.#open = 'tool_use';
      this.hasCalls = true;
      const id = toolUseId(call.id, this.#requestId, this.#callCount++);
      told += toolStart(this.#index, id, name);
    }
    call.waiting = '';
    return waiting === '' ? told : told + inputDelta(this.#index, waiting);
  }
}
