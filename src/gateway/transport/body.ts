// Collects a request body in memory within two bounds: one a request (413 before it is read whole)
// and one for all bodies in flight (503), so that many large bodies cannot exhaust the process. What
// counts is what has come: a length that is declared and not sent takes no room from anybody.

import type { BodyResult } from './boundary.ts';

export type BodyBudget = {
  inFlightBytes: number;
  readonly inFlightBytesMax: number;
  /** The process has no memory to spare for another body, however small. */
  readonly isShort: () => boolean;
};

export const createBodyBudget = (
  inFlightBytesMax: number,
  isShort: () => boolean = () => false,
): BodyBudget => ({
  isShort,
  inFlightBytes: 0,
  inFlightBytesMax,
});

const empty = Buffer.alloc(0);
const overloaded: BodyResult = { kind: 'overloaded' };

/** The room that a body of unknown length begins with. */
const initialBufferBytes = 16 * 1024;
/** A longer one gets its room as it comes: one that is only declared would take the room in memory. */
const declaredBufferBytesMax = 1024 * 1024;

/** The bytes that a body holds of the budget; they are given back when the exchange is over. */
export type BodyLease = { bytes: number };

export type BodyBounds = Readonly<{
  bytesMax: number;
  budget: BodyBudget;
  lease: BodyLease;
}>;

const tooLarge = ({ bytesMax }: BodyBounds): BodyResult => ({ kind: 'too_large', bytesMax });

/** Why a body is refused before any of it is read; null when it is not. `declared` is null while its length is not known. */
export function refuseBody(declared: number | null, bounds: BodyBounds): BodyResult | null {
  const length = declared ?? 0;
  if (length > bounds.bytesMax) return tooLarge(bounds);
  return bounds.budget.isShort() || !fits(bounds.budget, length) ? overloaded : null;
}

export function releaseBody(budget: BodyBudget, lease: BodyLease): void {
  budget.inFlightBytes -= lease.bytes;
  lease.bytes = 0;
}

const fits = ({ inFlightBytes, inFlightBytesMax }: BodyBudget, bytes: number): boolean =>
  inFlightBytes + bytes <= inFlightBytesMax;

function take({ budget, lease }: BodyBounds, bytes: number): boolean {
  if (!fits(budget, bytes)) return false;
  budget.inFlightBytes += bytes;
  lease.bytes += bytes;
  return true;
}

export class BodyCollector {
  readonly #bounds: BodyBounds;
  readonly #declared: number | null;
  #bytes: Buffer = empty;
  #length = 0;

  constructor(bounds: BodyBounds, declared: number | null) {
    this.#bounds = bounds;
    this.#declared = declared;
  }

  /** Null while more may come, else why the body is not taken. A chunk that is the whole body is kept as it is. */
  add(chunk: Buffer): BodyResult | null {
    const length = this.#length + chunk.length;
    if (length > this.#bounds.bytesMax) return this.#refuse(tooLarge(this.#bounds));
    if (!take(this.#bounds, chunk.length)) return this.#refuse(overloaded);
    if (chunk.length === this.#declared) this.#bytes = chunk;
    else {
      if (length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    return null;
  }

  complete(): BodyResult {
    const isFull = this.#length === this.#bytes.length;
    const bytes = isFull ? this.#bytes : this.#bytes.subarray(0, this.#length);
    return { kind: 'bytes', bytes };
  }

  /**
   * Chunks are copied together and never kept: a body sent in pieces of one byte would otherwise
   * take hundreds of times its size. Room that no byte is written to costs nothing.
   */
  #grow(length: number): void {
    const declared = this.#declared ?? Infinity;
    const atLeast = Math.min(this.#declared ?? initialBufferBytes, declaredBufferBytesMax);
    const capacity = Math.min(declared, Math.max(length, this.#bytes.length * 2, atLeast));
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  #refuse(result: BodyResult): BodyResult {
    this.#bytes = empty;
    releaseBody(this.#bounds.budget, this.#bounds.lease);
    return result;
  }
}
