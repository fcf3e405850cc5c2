// Collects a request body in memory within two limits: one per request (413, before the whole body is read) and one for all
// bodies in flight (503). Only received bytes count, so a declared length reserves nothing.

import type { BodyResult } from './boundary.ts';

export type BodyBudget = {
  inFlightBytes: number;
  readonly inFlightBytesMax: number;
  /** True when the process has no memory for another body. */
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

/** For a body of unknown length. */
const initialBufferBytes = 16 * 1024;
/**
 * A longer body gets its buffer as it arrives, so that a declared length alone allocates nothing.
 */
const declaredBufferBytesMax = 1024 * 1024;

/** The bytes of the budget that a body uses. They are released at the end of the exchange. */
export type BodyLease = { bytes: number };

export type BodyBounds = Readonly<{
  bytesMax: number;
  budget: BodyBudget;
  lease: BodyLease;
}>;

const tooLarge = ({ bytesMax }: BodyBounds): BodyResult => ({ kind: 'too_large', bytesMax });

/** Decides before the body is read. `declared` is null when the length is unknown. */
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
  #bytes: Buffer;
  #length = 0;

  /** The body is collected in the memory while it fits. */
  constructor(bounds: BodyBounds, declared: number | null, memory: Buffer = empty) {
    this.#bounds = bounds;
    this.#declared = declared;
    this.#bytes = memory;
  }

  /** Null while more may come. Without memory, a chunk that is the whole body is not copied. */
  add(chunk: Buffer): BodyResult | null {
    const at = this.#length;
    const refusal = this.addHeld(chunk.length);
    if (refusal !== null) return refusal;
    if (this.#bytes.length === 0 && chunk.length === this.#declared) this.#bytes = chunk;
    else {
      if (this.#length > this.#bytes.length) this.#grow(this.#length);
      chunk.copy(this.#bytes, at);
    }
    return null;
  }

  /** Adds bytes that are already in the memory. */
  addHeld(bytes: number): BodyResult | null {
    const length = this.#length + bytes;
    if (length > this.#bounds.bytesMax) return this.#refuse(tooLarge(this.#bounds));
    if (!take(this.#bounds, bytes)) return this.#refuse(overloaded);
    this.#length = length;
    return null;
  }

  complete(): BodyResult {
    const isFull = this.#length === this.#bytes.length;
    const bytes = isFull ? this.#bytes : this.#bytes.subarray(0, this.#length);
    return { kind: 'bytes', bytes };
  }

  /**
   * Copies chunks into one buffer: a body in pieces of one byte would otherwise take hundreds of
   * times its size. Unused capacity costs no physical memory.
   */
  #grow(length: number): void {
    const declared = this.#declared ?? Infinity;
    const atLeast = Math.min(this.#declared ?? initialBufferBytes, declaredBufferBytesMax);
    const capacity = Math.min(declared, Math.max(length, this.#bytes.length * 2, atLeast));
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }

  #refuse(result: BodyResult): BodyResult {
    this.#bytes = empty;
    releaseBody(this.#bounds.budget, this.#bounds.lease);
    return result;
  }
}
