// Finds the data of server-sent events while their bytes pass, and hands it to a reader of JSON.

import type { PassingJson } from './passing-json.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
/** A longer field name is not that of data. */
const fieldBytesMax = 5;

export class PassingEvents {
  readonly #json: PassingJson;
  readonly #begin: () => void;
  /** The start of the line, until the colon. Null in the value of the field. */
  #field: string | null = '';
  #isData = false;

  /** `begin` is called before each event. */
  constructor(json: PassingJson, begin: () => void) {
    this.#json = json;
    this.#begin = begin;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#field !== null) at = this.#passField(chunk, at);
      if (at === chunk.length) return;
      const found = chunk.indexOf(lineFeed, at);
      const end = found === -1 ? chunk.length : found;
      if (this.#isData) this.#json.push(chunk, at, end);
      at = end;
      if (found !== -1) {
        this.#endLine();
        at++;
      }
    }
  }

  /** Returns the offset after the colon, or that of the end of the line. */
  #passField(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === lineFeed) return at;
      const field = this.#field ?? '';
      if (byte === colon || field.length === fieldBytesMax) {
        this.#isData = byte === colon && field === 'data';
        this.#field = null;
        return at + 1;
      }
      if (byte !== carriageReturn) this.#field = field + String.fromCharCode(byte);
    }
    return chunk.length;
  }

  /** An empty line ends the event. */
  #endLine(): void {
    if (this.#field === '') {
      this.#json.restart();
      this.#begin();
    }
    this.#field = '';
    this.#isData = false;
  }
}
