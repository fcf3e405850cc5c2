// Assembles a streamed thinking block so that it can be sent back unchanged.

import { textOf } from '../json.ts';
import type { JsonObject } from '../json.ts';

/** Longer thinking is not sent back. No model thinks this long in one block. */
const charactersMax = 4 * 1024 * 1024;

export class ThinkingBlock {
  readonly #start: JsonObject;
  #thinking: string;
  #signature: string;

  constructor(start: JsonObject) {
    this.#start = start;
    this.#thinking = textOf(start, 'thinking') ?? '';
    this.#signature = textOf(start, 'signature') ?? '';
  }

  push(delta: JsonObject): void {
    if (this.#thinking.length + this.#signature.length > charactersMax) return;
    this.#thinking += textOf(delta, 'thinking') ?? '';
    this.#signature += textOf(delta, 'signature') ?? '';
  }

  /** Null if the block is too long. */
  whole(): JsonObject | null {
    if (this.#thinking.length + this.#signature.length > charactersMax) return null;
    if (this.#start['type'] !== 'thinking') return this.#start;
    return { ...this.#start, thinking: this.#thinking, signature: this.#signature };
  }
}
