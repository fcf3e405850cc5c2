// Reads a request body into memory within two bounds: one a request (413 before it is read whole)
// and one for all bodies in flight (503), so that many large bodies cannot exhaust the process. What
// counts is what has come: a length that is declared and not sent takes no room from anybody.

import type { IncomingMessage } from 'node:http';

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
const tooLarge: BodyResult = { kind: 'too_large' };
const overloaded: BodyResult = { kind: 'overloaded' };
const gone: BodyResult = { kind: 'gone' };

/** The room that a body of unknown length begins with. */
const firstRoomBytes = 16 * 1024;
/** A longer one gets its room as it comes: one that is only declared would take the room in memory. */
const declaredRoomBytesMax = 1024 * 1024;

/** The bytes that a body holds of the budget; they are given back when the exchange is over. */
export type BodyLease = { bytes: number };

type Bounds = Readonly<{
  bytesMax: number;
  budget: BodyBudget;
  lease: BodyLease;
  /** Told once the body is wanted: some clients wait for that. */
  ask: () => void;
}>;

export function readBody(
  request: IncomingMessage,
  fields: ReadonlyMap<string, string>,
  bounds: Bounds,
): Promise<BodyResult> {
  const header = fields.get('content-length');
  const declared = header === undefined ? null : Number(header);
  if (declared === null && !fields.has('transfer-encoding')) {
    return Promise.resolve({ kind: 'bytes', bytes: empty });
  }
  if (declared !== null && declared > bounds.bytesMax) return Promise.resolve(tooLarge);
  if (bounds.budget.isShort() || !hasRoom(bounds.budget, declared ?? 0)) {
    return Promise.resolve(overloaded);
  }
  return new Promise((resolve) => {
    const reader = new BodyReader(request, bounds, declared, resolve);
    bounds.ask();
    request.on('data', reader.onData).on('end', reader.onEnd).on('close', reader.onClose);
  });
}

export function releaseBody(budget: BodyBudget, lease: BodyLease): void {
  budget.inFlightBytes -= lease.bytes;
  lease.bytes = 0;
}

const hasRoom = ({ inFlightBytes, inFlightBytesMax }: BodyBudget, bytes: number): boolean =>
  inFlightBytes + bytes <= inFlightBytesMax;

function take({ budget, lease }: Bounds, bytes: number): boolean {
  if (!hasRoom(budget, bytes)) return false;
  budget.inFlightBytes += bytes;
  lease.bytes += bytes;
  return true;
}

class BodyReader {
  readonly #request: IncomingMessage;
  readonly #bounds: Bounds;
  readonly #declared: number | null;
  readonly #resolve: (result: BodyResult) => void;
  #bytes: Buffer = empty;
  #length = 0;

  constructor(
    request: IncomingMessage,
    bounds: Bounds,
    declared: number | null,
    resolve: (result: BodyResult) => void,
  ) {
    this.#request = request;
    this.#bounds = bounds;
    this.#declared = declared;
    this.#resolve = resolve;
  }

  readonly onData = (chunk: Buffer): void => {
    const length = this.#length + chunk.length;
    if (length > this.#bounds.bytesMax) return this.#stop(tooLarge);
    if (!take(this.#bounds, chunk.length)) return this.#stop(overloaded);
    if (chunk.length === this.#declared) this.#bytes = chunk;
    else {
      if (length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
  };

  readonly onEnd = (): void => {
    const isFull = this.#length === this.#bytes.length;
    const bytes = isFull ? this.#bytes : this.#bytes.subarray(0, this.#length);
    this.#resolve({ kind: 'bytes', bytes });
  };

  /** Comes after the end too, and then changes nothing. */
  readonly onClose = (): void => this.#resolve(gone);

  /**
   * Chunks are copied together and never kept: a body sent in pieces of one byte would otherwise
   * take hundreds of times its size. Room that no byte is written to costs nothing.
   */
  #grow(length: number): void {
    const declared = this.#declared ?? Infinity;
    const atLeast = Math.min(this.#declared ?? firstRoomBytes, declaredRoomBytesMax);
    const room = Math.min(declared, Math.max(length, this.#bytes.length * 2, atLeast));
    const grown = Buffer.allocUnsafeSlow(room);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  #stop(result: BodyResult): void {
    this.#request.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    this.#bytes = empty;
    releaseBody(this.#bounds.budget, this.#bounds.lease);
    this.#resolve(result);
  }
}
