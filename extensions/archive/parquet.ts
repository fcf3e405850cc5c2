// Writes and reads the Parquet files of the archive.

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

import { archivedColumns } from '../../src/db/usage/archive/archive-rows.ts';
import type { Dataset } from '../../src/db/usage/archive/archive-rows.ts';

export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

type Base = 'text' | 'bigint' | 'boolean' | 'timestamptz' | 'jsonb';
type Column = Readonly<{ name: string; base: Base; isNullable: boolean }>;

const isBase = (text: string): text is Base =>
  ['text', 'bigint', 'boolean', 'timestamptz', 'jsonb'].includes(text);

function columnsIn(dataset: Dataset): readonly Column[] {
  return Object.entries(archivedColumns[dataset]).map(([name, type]) => {
    const base = type.replace(' not null', '');
    if (!isBase(base)) throw new Error(`column ${name} has no Parquet type`);
    return { name, base, isNullable: base === type };
  });
}

/** JSON is text, which all engines read alike. Times are microseconds in UTC. */
const parquetTypes: Readonly<Record<Base, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  jsonb: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  bigint: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  timestamptz: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};

const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, base, isNullable }): SchemaElement => {
    const repetition = isNullable ? 'OPTIONAL' : 'REQUIRED';
    return Object.assign({ name, repetition_type: repetition } as const, parquetTypes[base]);
  }),
];

/** Equal rows, added in equal pages, give equal files. */
export class SegmentWriter {
  readonly #columns: readonly Column[];
  readonly #bytes = new ByteWriter();
  readonly #parquet: ParquetWriter;

  constructor(dataset: Dataset) {
    this.#columns = columnsIn(dataset);
    this.#parquet = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(this.#columns),
      codec: 'ZSTD',
      compressors: { ZSTD: (input) => zstdCompressSync(input) },
      createdBy: 'gw',
    });
  }

  /** A page is a row group. */
  add(rows: readonly Readonly<Record<string, unknown>>[]): void {
    const columnData = this.#columns.map(({ name, base, isNullable }) => ({
      name,
      data: rows.map((row) => encoded(row[name], { name, base, isNullable })),
    }));
    void this.#parquet.write({ columnData, rowGroupSize: rows.length });
  }

  /** Without the footer. */
  byteLength(): number {
    return this.#bytes.offset;
  }

  finish(): Uint8Array {
    void this.#parquet.finish();
    return this.#bytes.getBytes();
  }
}

function encoded(value: unknown, { name, base, isNullable }: Column) {
  if (value === null && isNullable) return null;
  const isNumber = base === 'bigint' || base === 'timestamptz';
  if (isNumber && typeof value === 'number') return BigInt(value);
  if (base === 'boolean' && typeof value === 'boolean') return value;
  if (!isNumber && base !== 'boolean' && typeof value === 'string') return value;
  throw new Error(`column ${name} cannot be archived as ${base}`);
}

/** Pages of rows with all columns, or those that are named. Throws if the file is not a whole Parquet file. */
export async function* readSegment(
  bytes: Uint8Array,
  columns?: readonly string[],
): AsyncGenerator<readonly Row[]> {
  const file = {
    byteLength: bytes.byteLength,
    slice: (start: number, end = bytes.byteLength): ArrayBuffer =>
      Uint8Array.from(bytes.subarray(start, end)).buffer,
  };
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      parsers: { timestampFromMicroseconds: (micros: bigint) => micros },
      ...(columns === undefined ? {} : { columns: [...columns] }),
    });
    yield rows.map(plainRow);
    rowStart = rowEnd;
  }
}

const plainRow = (row: Readonly<Record<string, unknown>>): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(name, value)]));

function plain(name: string, value: unknown): Cell {
  if (typeof value === 'bigint') return Number(value);
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  throw new Error(`column ${name} has a value of an unknown type`);
}
