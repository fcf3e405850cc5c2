// Queues usage rows as the bytes to send. Thousands of row objects would slow down garbage collection.

import type { SpentRow } from '../../limits/spending.ts';
import { usageBatchMax } from '../../usage/usage-event.ts';
import { asciiJson } from '../../usage/usage-row.ts';

const initialBytes = 16 * 1024;
/** More memory than this is not kept for the next batch. */
const keptBytesMax = 1024 * 1024;
const separator = ',';
const end = ']}';

/** The end of a body with a further member. */
const endWith = (member: string): string => (member === '' ? end : `],${member}}`);

export class UsageQueue {
  /** The rows in all batches. */
  count = 0;
  readonly #head: string;
  /** Oldest first. The last batch accepts rows while it is open. */
  #batches: UsageRows[] = [];
  /** The memory of a batch that was removed. New memory for each batch would be more work for garbage collection. */
  #spare: Buffer | null = null;

  /** `replica` identifies this process to the control plane. */
  constructor(replica: string) {
    this.#head = bodyHead(replica);
  }

  get batches(): number {
    return this.#batches.length;
  }

  /** `row` must be ASCII JSON. */
  push(row: string, spent: SpentRow | null = null): void {
    const last = this.#batches.at(-1);
    this.count++;
    if (last?.push(row, spent) === true) return;
    const next = new UsageRows(this.#head, this.#spare);
    this.#spare = null;
    next.push(row, spent);
    this.#batches.push(next);
  }

  /**
   * The rows stay queued until they are removed. Null when the queue is empty. `member` is added to the body when the
   * batch is taken for the first time.
   */
  oldest(member: () => string = () => ''): UsageRows | null {
    const [batch] = this.#batches;
    if (batch === undefined) return null;
    batch.close(member);
    return batch;
  }

  /** Returns the number of removed rows; 0 when they were already taken. */
  remove(batch: UsageRows): number {
    if (this.#batches[0] !== batch) return 0;
    this.#batches.shift();
    this.count -= batch.count;
    return batch.count;
  }

  /** Like `remove`, for a batch whose bytes nothing reads any more. */
  recycle(batch: UsageRows): void {
    if (this.remove(batch) > 0 && batch.memory.length <= keptBytesMax) this.#spare = batch.memory;
  }

  /** Oldest first. */
  takeAll(): readonly QueuedRow[] {
    const rows = this.#batches.flatMap((batch) => batch.rows());
    this.#batches = [];
    this.count = 0;
    return rows;
  }
}

export type QueuedRow = Readonly<{ bytes: Buffer; spent: SpentRow | null }>;

/** The body of one POST /usage. */
export class UsageRows {
  /** The amount of each row. */
  readonly spent: (SpentRow | null)[] = [];
  readonly #ends: number[] = [];
  readonly #start: number;
  #bytes: Buffer;
  #length: number;
  #isOpen = true;

  constructor(head: string, memory: Buffer | null) {
    this.#bytes = memory ?? Buffer.allocUnsafeSlow(Math.max(initialBytes, head.length));
    this.#start = this.#bytes.write(head, 'latin1');
    this.#length = this.#start;
  }

  get count(): number {
    return this.#ends.length;
  }

  get memory(): Buffer {
    return this.#bytes;
  }

  /** Returns false when the batch is full or closed. */
  push(row: string, spent: SpentRow | null): boolean {
    if (!this.#isOpen || this.count >= usageBatchMax) return false;
    this.#ensureCapacity(separator.length + row.length + end.length);
    if (this.count > 0) this.#length += this.#bytes.write(separator, this.#length, 'latin1');
    this.#length += this.#bytes.write(row, this.#length, 'latin1');
    this.#ends.push(this.#length);
    this.spent.push(spent);
    return true;
  }

  close(member: () => string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const text = endWith(member());
    this.#ensureCapacity(text.length);
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
  }

  /** The batch must be closed. */
  body(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  rows(): QueuedRow[] {
    const from = (index: number): number =>
      index === 0 ? this.#start : (this.#ends[index - 1] ?? 0) + separator.length;
    return this.#ends.map((to, index) => ({
      bytes: this.#bytes.subarray(from(index), to),
      spent: this.spent[index] ?? null,
    }));
  }

  #ensureCapacity(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** `rows` must be JSON. */
export const usageBody = (replica: string, rows: readonly string[], member = ''): Buffer =>
  Buffer.from(bodyHead(replica) + rows.join(separator) + endWith(member));

const bodyHead = (replica: string): string => `{"replica":${asciiJson(replica)},"events":[`;
