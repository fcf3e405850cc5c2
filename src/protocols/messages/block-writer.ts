// Writes the deltas of a chat as the content blocks of the Messages API: one block is open at a
// time, and indexes increase. Deltas of a later call wait until the earlier one is complete.

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

/** Bounds the deltas that wait for earlier calls. */
const waitingCharactersMax = 4 * 1024 * 1024;

export class BlockWriter {
  hasCalls = false;
  /** More deltas wait than allowed. */
  isOverflown = false;
  readonly #requestId: string;
  #index = 0;
  #open: BlockKind | null = null;
  /** The open calls. The one being written is first. */
  #calls: OpenCall[] = [];
  #callCount = 0;
  /** Deltas received while a call was incomplete. */
  #later: Later[] = [];
  #waitingCharacters = 0;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  content(kind: 'text' | 'thinking', text: string): string {
    if (text === '') return '';
    if (this.#calls.some(({ progress }) => !progress.isWhole)) {
      this.#wait(text);
      const last = this.#later.at(-1);
      if (last?.kind === kind) last.text += text;
      else this.#later.push({ kind, text });
      return '';
    }
    return this.#writeLater() + this.#write(kind, text);
  }

  call(piece: CallPiece): string {
    const call = pushPiece(this.#calls, piece);
    if (call === null) return '';
    if (this.#calls[0] !== call) this.#wait(piece.arguments);
    return this.#writeCalls(false);
  }

  end(): string {
    return this.#writeCalls(true) + this.#writeLater() + this.#close();
  }

  #wait(text: string): void {
    this.#waitingCharacters += text.length;
    if (this.#waitingCharacters > waitingCharactersMax) this.isOverflown = true;
  }

  #writeLater(): string {
    const later = this.#later;
    if (later.length === 0) return '';
    this.#later = [];
    return later.map(({ kind, text }) => this.#write(kind, text)).join('');
  }

  #write(kind: Later['kind'], text: string): string {
    const entered = this.#enter(kind);
    return entered + (kind === 'text' ? textDelta : thinkingDelta)(this.#index, text);
  }

  #enter(kind: Later['kind']): string {
    if (this.#open === kind) return '';
    const before = this.#writeCalls(true) + this.#close();
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

  /** Writes the first call, and later ones if all calls before them are complete. */
  #writeCalls(isEnd: boolean): string {
    let written = '';
    for (;;) {
      const [call, next] = this.#calls;
      if (call === undefined) return written;
      written += this.#writeCall(call);
      if (!isEnd && (next === undefined || !call.progress.isWhole)) return written;
      this.#calls.shift();
      if (this.#open === 'tool_use') written += this.#close();
    }
  }

  /** A call cannot be written before its name is known. */
  #writeCall(call: OpenCall): string {
    const { name, waiting } = call;
    if (name === null) return '';
    let written = '';
    if (this.#open !== 'tool_use') {
      written += this.#close();
      this.#open = 'tool_use';
      this.hasCalls = true;
      const id = toolUseId(call.id, this.#requestId, this.#callCount++);
      written += toolStart(this.#index, id, name);
    }
    call.waiting = '';
    return waiting === '' ? written : written + inputDelta(this.#index, waiting);
  }
}
