// A failed answer that is kept while something else is tried: when the chain is exhausted, the last
// upstream's own status and body are what the client gets (Gateway rule 2).

import type { MaskedHead } from './outbound/credential-echo.ts';
import type { Step } from './plan.ts';

/** A longer body is not kept; its status still is. */
const heldBytesMax = 64 * 1024;
/** How long the end of a kept body is waited for. */
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

  /** Always true: a kept body needs no client that keeps up. */
  push(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > heldBytesMax) this.abandon();
    else this.#chunks?.push(chunk);
    return true;
  }

  /** The rest of the body is not needed any more. */
  abandon(): void {
    if (this.#isSettled) return;
    this.#abortUpstream();
    this.drop();
  }

  complete(): void {
    this.#isSettled = true;
    this.#onSettled?.();
  }

  /** The body did not come whole. */
  drop(): void {
    this.#chunks = null;
    this.complete();
  }

  /** The whole body, or null when there is none to give. */
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
