// Holds a failed answer while other backends are tried. If the chain is exhausted, the client gets
// the last upstream's status and body (Gateway rule 2).

import type { MaskedHead } from './outbound/credential-echo.ts';
import type { Step } from './plan.ts';

/** A longer body is discarded; its status is still used. */
const heldBytesMax = 64 * 1024;
/** For the rest of a held body. */
const settleMs = 1000;

export class HeldAnswer {
  readonly kind = 'held';
  readonly step: Step;
  readonly head: MaskedHead;
  #chunks: Buffer[] | null = [];
  #bytes = 0;
  #isSettled = false;
  #onSettled: (() => void) | null = null;
  readonly #abortUpstream: () => void;

  constructor(step: Step, head: MaskedHead, abortUpstream: () => void) {
    this.step = step;
    this.head = head;
    this.#abortUpstream = abortUpstream;
  }

  /** Always true, because a held body does not depend on the client's speed. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > heldBytesMax) this.abandon();
    else this.#chunks?.push(Buffer.from(chunk));
    return true;
  }

  abandon(): void {
    if (this.#isSettled) return;
    this.#abortUpstream();
    this.drop();
  }

  complete(): void {
    this.#isSettled = true;
    this.#onSettled?.();
  }

  /** Discards an incomplete body. */
  drop(): void {
    this.#chunks = null;
    this.complete();
  }

  /** The complete body, or null. */
  async body(): Promise<Buffer | null> {
    if (!this.#isSettled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => this.abandon(), settleMs);
        this.#onSettled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#chunks === null ? null : Buffer.concat(this.#chunks);
  }
}
