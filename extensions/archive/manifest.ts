// Describes a segment of the archive. A manifest follows from the bytes of its segment alone, so
// that it can be made again.

import { createHash } from 'node:crypto';

import { z } from 'zod';

import { tokenParts } from '../../src/usage/counts.ts';
import type { Dataset } from '../../src/db/usage/archive/archive-rows.ts';

/** Integers of any size. */
const digits = z.string().regex(/^-?\d+$/);

export const manifest = z.object({
  format: z.literal(1),
  log_id: z.string(),
  dataset: z.enum(['usage', 'corrections']),
  /** The start of the hour, in UTC. */
  hour: z.iso.datetime(),
  segment: z.int().positive(),
  file: z.string(),
  bytes: z.int().positive(),
  sha256: z.hash('sha256'),
  rows: z.int().positive(),
  /** The least and the greatest ULID of the rows. */
  first_id: z.string(),
  last_id: z.string(),
  /** Sums by currency. */
  sums: z.array(
    z.object({ currency: z.string(), rows: z.int(), amounts: z.record(z.string(), digits) }),
  ),
  /** The proxy processes that numbered rows, with their first and last row. */
  runs: z.array(
    z.object({
      replica: z.string(),
      run: z.string(),
      rows: z.int(),
      first_seq: z.int(),
      last_seq: z.int(),
      first_id: z.string(),
      last_id: z.string(),
    }),
  ),
});
export type Manifest = Readonly<z.output<typeof manifest>>;

export type SegmentName = Readonly<{ dataset: Dataset; hour: Date; segment: number }>;

/** Readers of a partitioned folder ignore names that begin with an underscore. */
export function namesOf({ dataset, hour, segment }: SegmentName) {
  const [day = '', time = ''] = hour.toISOString().split('T');
  const folder = `${dataset}/dt=${day}/hour=${time.slice(0, 2)}`;
  const number = String(segment).padStart(4, '0');
  return { segment: `${folder}/${number}.parquet`, manifest: `${folder}/_${number}.json` };
}

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The bytes that are stored, and whose digest is in the log. */
export const manifestBytes = (described: Manifest): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(described, null, 2)}\n`);

/**
 * True if a segment, read again, is what its manifest says. Another release can add up more columns.
 */
export function isSame(held: Manifest, again: Manifest): boolean {
  const sums = again.sums.map((sum, index) => {
    const names = Object.keys(held.sums[index]?.amounts ?? {});
    const amounts = Object.fromEntries(names.map((name) => [name, sum.amounts[name] ?? '0']));
    return Object.assign({}, sum, { amounts });
  });
  return JSON.stringify(held) === JSON.stringify({ ...again, sums });
}

/** The columns that are added up. */
const amountsOf = {
  usage: [
    'prompt_tokens',
    'completion_tokens',
    ...tokenParts.map(({ name }) => name),
    'cost_micros',
    'estimated_cost_micros',
  ],
  corrections: ['delta_micros', 'estimated_delta_micros'],
} as const satisfies Readonly<Record<Dataset, readonly string[]>>;

const idOf = { usage: 'id', corrections: 'usage_id' } as const;

/** The columns that a tally reads. */
export const talliedColumns = {
  usage: [...amountsOf.usage, 'id', 'currency', 'replica', 'run', 'seq'],
  corrections: [...amountsOf.corrections, 'usage_id', 'currency'],
} as const satisfies Readonly<Record<Dataset, readonly string[]>>;

type Sums = { rows: number; readonly amounts: bigint[] };
type Run = { -readonly [Name in keyof Manifest['runs'][number]]: Manifest['runs'][number][Name] };
type Values = Readonly<Record<string, unknown>>;

/** Adds up rows for a manifest. */
export class Tally {
  rows = 0;
  #first = '';
  #last = '';
  readonly #dataset: Dataset;
  readonly #sums = new Map<string, Sums>();
  readonly #runs = new Map<string, Run>();

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  add(row: Values): void {
    const id = String(row[idOf[this.#dataset]]);
    this.rows++;
    if (this.#first === '' || id < this.#first) this.#first = id;
    if (id > this.#last) this.#last = id;
    const names = amountsOf[this.#dataset];
    const currency = String(row['currency']);
    const sums = this.#sums.get(currency) ?? { rows: 0, amounts: names.map(() => 0n) };
    this.#sums.set(currency, sums);
    sums.rows++;
    for (const [index, name] of names.entries()) {
      const value = row[name];
      if (typeof value === 'number')
        sums.amounts[index] = (sums.amounts[index] ?? 0n) + BigInt(value);
    }
    this.#addRun(row, id);
  }

  #addRun({ replica, run, seq }: Values, id: string): void {
    if (typeof replica !== 'string' || typeof run !== 'string' || typeof seq !== 'number') return;
    const key = `${run} ${replica}`;
    const held = this.#runs.get(key);
    if (held === undefined) {
      const ends = { first_seq: seq, last_seq: seq, first_id: id, last_id: id };
      this.#runs.set(key, { replica, run, rows: 1, ...ends });
      return;
    }
    held.rows++;
    held.first_seq = Math.min(held.first_seq, seq);
    held.last_seq = Math.max(held.last_seq, seq);
    if (id < held.first_id) held.first_id = id;
    if (id > held.last_id) held.last_id = id;
  }

  describe(name: SegmentName, bytes: Uint8Array, logId: string): Manifest {
    return {
      format: 1,
      log_id: logId,
      dataset: name.dataset,
      hour: name.hour.toISOString(),
      segment: name.segment,
      file: namesOf(name).segment,
      bytes: bytes.byteLength,
      sha256: sha256(bytes),
      rows: this.rows,
      first_id: this.#first,
      last_id: this.#last,
      sums: byKey(this.#sums).map(([currency, { rows, amounts }]) => ({
        currency,
        rows,
        amounts: Object.fromEntries(
          amountsOf[this.#dataset].map((amount, index) => [amount, String(amounts[index])]),
        ),
      })),
      runs: byKey(this.#runs).map(([, run]) => run),
    };
  }
}

const byKey = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].toSorted(([one], [other]) => (one < other ? -1 : 1));
