// Usage rows that wait to be delivered, already as the bytes that are sent: as objects, thousands of them would
// be moved about by the collector of memory while requests run.

import { usageBatchMax } from '../../usage/usage-event.ts';
import { asciiJson } from '../../usage/usage-row.ts';

const initialBufferBytes = 16 * 1024;
const separator = ',';
const end = ']}';

export class UsageQueue {
  /** Rows in all batches. */
  count = 0;
  readonly #head: string;
  /** Oldest first; the last takes more while it is open. */
  #batches: UsageRows[] = [];
  #bufferBytes = initialBufferBytes;

  /** `replica` names this process to the control plane. */
  constructor(replica: string) {
    this.#head = bodyHead(replica);
  }

  /** `row` is JSON and ASCII. */
  push(row: string): void {
    const last = this.#batches.at(-1);
    this.count++;
    if (last?.push(row) === true) return;
    const next = new UsageRows(this.#head, this.#bufferBytes);
    next.push(row);
    this.#batches.push(next);
  }

  /** The oldest rows, which stay here until they are removed; null when there are none. */
  oldest(): UsageRows | null {
    const [batch] = this.#batches;
    if (batch === undefined) return null;
    batch.close();
    // The next one will likely be as long.
    this.#bufferBytes = Math.max(initialBufferBytes, batch.body().length);
    return batch;
  }

  /** Answers how many rows went: none when they have been taken meanwhile. */
  remove(batch: UsageRows): number {
    if (this.#batches[0] !== batch) return 0;
    this.#batches.shift();
    this.count -= batch.count;
    return batch.count;
  }

  /** All rows, oldest first; the queue is empty then. */
  takeAll(): readonly Buffer[] {
    const rows = this.#batches.flatMap((batch) => batch.rows());
    this.#batches = [];
    this.count = 0;
    return rows;
  }
}

/** Rows that are sent together, as the body of POST /usage. */
export class UsageRows {
  readonly #ends: number[] = [];
  readonly #start: number;
  #bytes: Buffer;
  #length: number;
  #isOpen = true;

  constructor(head: string, bufferBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(bufferBytes, head.length));
    this.#start = this.#bytes.write(head, 'latin1');
    this.#length = this.#start;
  }

  get count(): number {
    return this.#ends.length;
  }

  /** False when it takes no more. */
  push(row: string): boolean {
    if (!this.#isOpen || this.count >= usageBatchMax) return false;
    this.#ensureCapacity(separator.length + row.length + end.length);
    if (this.count > 0) this.#length += this.#bytes.write(separator, this.#length, 'latin1');
    this.#length += this.#bytes.write(row, this.#length, 'latin1');
    this.#ends.push(this.#length);
    return true;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ensureCapacity(end.length);
    this.#length += this.#bytes.write(end, this.#length, 'latin1');
  }

  /** Of a closed one. */
  body(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  rows(): Buffer[] {
    const from = (index: number): number =>
      index === 0 ? this.#start : (this.#ends[index - 1] ?? 0) + separator.length;
    return this.#ends.map((to, index) => this.#bytes.subarray(from(index), to));
  }

  #ensureCapacity(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** `rows` are JSON each. */
export const usageBody = (replica: string, rows: readonly string[]): Buffer =>
  Buffer.from(bodyHead(replica) + rows.join(separator) + end);

const bodyHead = (replica: string): string => `{"replica":${asciiJson(replica)},"events":[`;
