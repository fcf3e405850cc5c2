// Archives 30 days of usage, and queries them with an engine, as docs/guides/archive.md describes.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

import { parquetMetadata } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { z } from 'zod';

import { hourSums } from '../../../../src/db/usage/archive/archive-checks.ts';
import type { Python } from '../../../../test/harness/python/packages.ts';
import type { Cell } from '../../parquet.ts';
import { archived, begin, hourMs, rowIn, rowsOf } from '../archived.ts';

const days = 30;
const runLimitMs = 90_000;
const firstDay = Math.floor(begin / (24 * hourMs)) - days;
const dayOf = (number: number): string =>
  new Date((firstDay + number) * 24 * hourMs).toISOString().slice(0, 10);
/** The days before and after are in no result. */
const [since, until] = [dayOf(0), dayOf(days)];

/** The figures of a day in a currency, as the database has them. */
export type Figures = ReadonlyMap<string, readonly string[]>;

/** Usage in two currencies, with late rows, estimates, unpriced rows and corrections. */
export async function archivedMonth(t: TestContext) {
  const { directory, deliver, due, send, time, archiving, files } = await archived(t);
  const euro = { input_price_per_mtok: 500_000, price_card: { currency: 'EUR' } };
  await send('POST', '/admin/models', { name: 'euro', output_price_per_mtok: 0, ...euro });
  const kinds = [
    {},
    { model_id: 2, model: 'euro' },
    { model_id: null, model: null, refusal: 'budget', prompt_tokens: 0, completion_tokens: 0 },
    { usage_reported: false, usage_estimated: true },
    { reported_cost_micros: 123_456_789 },
  ];
  const rows = Array.from({ length: (days + 2) * 20 }, (_value, index) => {
    const at = (firstDay - 1) * 24 * hourMs + Math.floor(index / 10) * 12 * hourMs + index;
    return rowIn(0, index + 1, { at: new Date(at).toISOString(), ...kinds[index % kinds.length] });
  });
  await deliver(...rows.filter((_row, index) => !isLate(index)));
  const archiveAll = async (): Promise<void> => {
    for (let run = 0; run < 4; run++) await due();
    time.now += 2 * hourMs;
  };
  await archiveAll();
  await deliver(...rows.filter((_row, index) => isLate(index)));
  await send('PATCH', '/admin/models/1', { input_price_per_mtok: 3_000_000 });
  const span = { since: `${dayOf(5)}T00:00:00Z`, until: `${dayOf(20)}T00:00:00Z` };
  assert.equal((await send('POST', '/admin/usage/reprice', span)).status, 200);
  await archiveAll();
  for (const name of (await files()).filter((one) => one.includes(`dt=${dayOf(-1)}`))) {
    if (name.startsWith('usage/') && name.endsWith('.parquet')) {
      await removeColumn(path.join(directory, name), 'status');
    }
  }
  const range = { since: new Date(since), until: new Date(until) };
  const expected = figuresOf(await hourSums(archiving.plane.reports, range));
  assert.equal(expected.size, 2 * days);
  const corrected = [...expected.values()].filter(([, , cost, after]) => cost !== after);
  assert.ok(corrected.length >= 15, 'costs were corrected');
  return { directory, expected };
}

const cell = (type: string | undefined, value: Cell = null) =>
  type === 'INT64' && typeof value === 'number' ? BigInt(value) : value;

/** Makes a file like that of a release without the column. */
async function removeColumn(file: string, removed: string): Promise<void> {
  const rows = await rowsOf(file);
  const { buffer, byteOffset, byteLength } = await readFile(file);
  const bytes = Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength)).buffer;
  const [root, ...columns] = parquetMetadata(bytes).schema;
  assert.ok(root !== undefined);
  const kept = columns.filter(({ name }) => name !== removed);
  assert.equal(kept.length, columns.length - 1);
  const writer = new ByteWriter();
  const schema = [Object.assign({}, root, { num_children: kept.length }), ...kept];
  const parquet = new ParquetWriter({ writer, schema });
  const columnData = kept.map(({ name, type }) => ({
    name,
    data: rows.map((row) => cell(type, row[name])),
  }));
  await parquet.write({ columnData, rowGroupSize: rows.length });
  await parquet.finish();
  await chmod(file, 0o640);
  await writeFile(file, writer.getBytes());
}

/** These rows arrive after their hour was archived. */
const isLate = (index: number): boolean => index % 17 === 0;

/** Requests, prompt tokens, cost, and cost after corrections. */
const figureCount = 4;

function add(figures: Map<string, bigint[]>, key: string, values: readonly bigint[]): void {
  const held = figures.get(key) ?? values.map(() => 0n);
  figures.set(
    key,
    held.map((value, index) => value + (values[index] ?? 0n)),
  );
}

const printed = (figures: ReadonlyMap<string, readonly bigint[]>): Figures =>
  new Map(
    [...figures]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([key, values]) => [key, values.map(String)]),
  );

function figuresOf(sums: Awaited<ReturnType<typeof hourSums>>): Figures {
  const figures = new Map<string, bigint[]>();
  for (const { hour, currency, ...sum } of sums) {
    const cost = BigInt(sum.cost_micros);
    const corrected = cost + BigInt(sum.correction_micros);
    const counts = [sum.requests, sum.prompt_tokens].map(BigInt);
    add(figures, `${hour.toISOString().slice(0, 10)} ${currency}`, [...counts, cost, corrected]);
  }
  return printed(figures);
}

const guide = path.join(import.meta.dirname, '../../../../docs/guides/archive.md');
const answer = z.array(z.array(z.string().nullable()));

type Asked = Readonly<{ engine: 'duckdb' | 'chdb'; python: Python; directory: string }>;

/** Runs the views and the query of the guide, over these 30 days. */
export async function queried(asked: Asked): Promise<Figures> {
  const figures = new Map<string, bigint[]>();
  for (const [day, _model, currency, ...values] of await rowsFrom(asked, ({ query }) => query)) {
    assert.equal(values.length, figureCount);
    add(
      figures,
      `${day} ${currency}`,
      values.map((value) => BigInt(value ?? 0)),
    );
  }
  return printed(figures);
}

/** The rows in the view of the guide, and those with a column that some files lack. */
export async function countedStatuses(asked: Asked): Promise<unknown> {
  const [counts] = await rowsFrom(asked, () => 'select count(*), count(status) from usage');
  return counts;
}

/** The first day of the archive lacks the column, as if an older release wrote it. */
export const expectedStatuses = [(days + 2) * 20, (days + 1) * 20].map(String);

type Blocks = Readonly<{ query: string }>;

async function rowsFrom(
  { engine, python, directory }: Asked,
  choose: (blocks: Blocks) => string,
): Promise<z.output<typeof answer>> {
  const blocks = [...readFileSync(guide, 'utf8').matchAll(/```sql\n([^]*?)```/g)];
  const [duckdb = '', clickhouse = '', query = ''] = blocks.map((block) =>
    (block[1] ?? '')
      .replaceAll('/srv/gw-archive', directory)
      .replace('2026-10-01', since)
      .replace('2026-10-31', until),
  );
  const views = (engine === 'duckdb' ? duckdb : clickhouse).split(';');
  const statements = [...views, choose({ query })]
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const child = execFile(python.program, [path.join(import.meta.dirname, 'query.py'), engine], {
    env: { ...process.env, PYTHONPATH: python.packages, PYTHONDONTWRITEBYTECODE: '1' },
    timeout: runLimitMs,
  });
  child.stdin?.end(JSON.stringify(statements));
  assert.ok(child.stdout !== null && child.stderr !== null);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code]: unknown[] = await once(child, 'exit');
  const [out, errors] = await output;
  assert.equal(code, 0, errors);
  return answer.parse(JSON.parse(out));
}
