// Detects the end of a streamed JSON object without keeping its text.

const quote = 0x22;
const backslash = 0x5c;

export class JsonProgress {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasBegun = false;

  /** True if text has come and no bracket or string is open. */
  get isWhole(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#isInString;
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at++) this.#character(text.charCodeAt(at));
  }

  #character(code: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === backslash) this.#isEscaped = true;
      else if (code === quote) this.#isInString = false;
      return;
    }
    if (code <= 0x20) return;
    this.#hasBegun = true;
    if (code === quote) this.#isInString = true;
    else if (code === 0x7b || code === 0x5b) this.#depth++;
    else if (code === 0x7d || code === 0x5d) this.#depth--;
  }
}
