// Queues usage rows as the bytes to send. Thousands of row objects would slow down garbage collection.

import { usageBatchMax } from '../../usage/usage-event.ts';
import { asciiJson, rowIdOf } from '../../usage/usage-row.ts';

const initialBufferBytes = 16 * 1024;
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
  #bufferBytes = initialBufferBytes;

  /** `replica` identifies this process to the control plane. */
  constructor(replica: string) {
    this.#head = bodyHead(replica);
  }

  /** `row` must be ASCII JSON, with this id. */
  push(row: string, id: string = rowIdOf(row)): void {
    const last = this.#batches.at(-1);
    this.count++;
    if (last?.push(row, id) === true) return;
    const next = new UsageRows(this.#head, this.#bufferBytes);
    next.push(row, id);
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
    // The next batch will probably have a similar size.
    this.#bufferBytes = Math.max(initialBufferBytes, batch.body().length);
    return batch;
  }

  /** Returns the number of removed rows; 0 when they were already taken. */
  remove(batch: UsageRows): number {
    if (this.#batches[0] !== batch) return 0;
    this.#batches.shift();
    this.count -= batch.count;
    return batch.count;
  }

  /** Oldest first. */
  takeAll(): readonly Buffer[] {
    const rows = this.#batches.flatMap((batch) => batch.rows());
    this.#batches = [];
    this.count = 0;
    return rows;
  }
}

/** The body of one POST /usage. */
export class UsageRows {
  /** Those of the events, because a copy would be hashed and compared again. */
  readonly ids: string[] = [];
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

  /** Returns false when the batch is full or closed. */
  push(row: string, id: string): boolean {
    if (!this.#isOpen || this.count >= usageBatchMax) return false;
    this.#ensureCapacity(separator.length + row.length + end.length);
    if (this.count > 0) this.#length += this.#bytes.write(separator, this.#length, 'latin1');
    this.#length += this.#bytes.write(row, this.#length, 'latin1');
    this.#ends.push(this.#length);
    this.ids.push(id);
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

/** `rows` must be JSON. */
export const usageBody = (replica: string, rows: readonly string[], member = ''): Buffer =>
  Buffer.from(bodyHead(replica) + rows.join(separator) + endWith(member));

const bodyHead = (replica: string): string => `{"replica":${asciiJson(replica)},"events":[`;
