// Counts the spending of budgets in File mode, in memory and in a directory, so that it survives a restart. Processes that
// share a port (`--workers`) each write a file and read those of the others.

import { constants } from 'node:fs';
import { mkdir, open, readFile, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

import { toRfc3339 } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import { readStoredBudgets, addCounts, writeStoredBudgets } from '../../limits/stored-budgets.ts';
import type { Counted, StoredBudgets } from '../../limits/stored-budgets.ts';
import type { Figure, SpentRow, Spending } from '../../limits/spending.ts';
import type { WindowSpan } from '../../limits/calendar.ts';
import { alignedWindow } from '../../limits/window.ts';
import type { BudgetUse, Snapshot, SnapshotBudget } from '../../snapshot/schema.ts';
import type { Log } from '../../telemetry/log.ts';
import type { UsageSink } from './meter.ts';

/** A killed process loses what it counted since the last write. Other processes see its count with this delay. */
const saveMsDefault = 1000;
/** Includes removed principals, which may return. */
const principalsMax = 100_000;
const fileBytesMax = 64 * 1024 * 1024;

export type FileBudgetsOptions = Readonly<{
  directory: string;
  /** The prefix of the files of this configuration. */
  name: string;
  /** The number of this process among those that share the files. */
  slot: number;
  spending: Spending;
  log: Log;
  clock: Clock;
  saveMs?: number;
}>;

export type FileBudgets = Readonly<{
  /** Records each row at the end of its request. */
  record: UsageSink;
  /** Adds the current spending to the snapshot. */
  withSpent: (snapshot: Snapshot) => Snapshot;
  close: () => Promise<void>;
}>;

/** If the directory is unusable, spending is only kept in memory, and a warning is logged. */
export async function openFileBudgets(options: FileBudgetsOptions): Promise<FileBudgets> {
  const state = new State(options);
  await state.readAll();
  let syncing: Promise<void> | null = null;
  // Prevents overlapping runs on a slow disk.
  const sync = (): Promise<void> =>
    (syncing ??= state.sync().finally(() => {
      syncing = null;
    }));
  const timer = setInterval(() => void sync(), options.saveMs ?? saveMsDefault).unref();
  return {
    record: ({ principal_id: holder }, spent) => state.count(holder, spent),
    withSpent: (snapshot) => state.withSpent(snapshot),
    close: async () => {
      clearInterval(timer);
      await syncing;
      await sync();
    },
  };
}

class State {
  readonly #options: FileBudgetsOptions;
  readonly #own = new Map<PrincipalId, Counted>();
  /** By file name, as last read. */
  #otherFiles: ReadonlyMap<string, StoredBudgets> = new Map();
  #others: StoredBudgets = new Map();
  /** The budgets of the served file. */
  #starts: ReadonlyMap<PrincipalId, Start> = new Map();
  #isChanged = false;
  #isFailing = false;

  constructor(options: FileBudgetsOptions) {
    this.#options = options;
  }

  count(holder: PrincipalId, spent: SpentRow | null): void {
    if (spent === null) return;
    this.#options.spending.countHere(spent);
    const own = this.#ownOf(holder);
    if (own === null) return;
    own.tokens = Math.min(own.tokens + spent.tokens, Number.MAX_SAFE_INTEGER);
    own.cost_micros = Math.min(own.cost_micros + spent.micros, Number.MAX_SAFE_INTEGER);
    this.#isChanged = true;
  }

  withSpent(snapshot: Snapshot): Snapshot {
    const used = new Map(
      snapshot.overlay.budgets.map((use) => [use.principal_id, use.tokens_used]),
    );
    this.#starts = new Map(
      snapshot.config.principals.flatMap(({ id, budget }) => {
        const tokensUsed = used.get(id);
        if (budget === null || tokensUsed === undefined) return [];
        return [[id, { tokensUsed, budget, span: null }]];
      }),
    );
    const budgets = [...this.#starts.keys()].flatMap((holder) => this.#useOf(holder) ?? []);
    return { ...snapshot, overlay: { ...snapshot.overlay, budgets } };
  }

  /** Writes changes, reads the files of other processes, and starts the next window of expired budgets. */
  async sync(): Promise<void> {
    if (this.#starts.size === 0) return;
    try {
      if (this.#isChanged) await this.#write();
      await this.#readOthers();
      this.#isFailing = false;
    } catch (error) {
      this.#warn(error);
    }
    const figures = [...this.#starts.keys()].flatMap((holder) => this.#figureOf(holder) ?? []);
    const { spending } = this.#options;
    spending.delivered([], { figures, sentAt: spending.sending([]) });
  }

  async readAll(): Promise<void> {
    try {
      for (const [holder, one] of await readBudgets(this.#path(this.#options.slot))) {
        this.#own.set(holder, one);
      }
    } catch (error) {
      this.#warn(error);
    }
    await this.#readOthers().catch((error: unknown) => this.#warn(error));
  }

  /** Null for a principal without a budget in the file. */
  #ownOf(holder: PrincipalId): Counted | null {
    const start = this.#starts.get(holder);
    if (start === undefined) return null;
    const { startMs: windowMs, endMs } = currentSpan(start, this.#options.clock());
    const own = this.#own.get(holder);
    // A clock that is set back does not restart the previous window.
    if (own?.window_ms === windowMs || own?.window_ms === endMs) return own;
    const first = own?.first_window_ms ?? this.#others.get(holder)?.first_window_ms ?? windowMs;
    const fresh = { first_window_ms: first, window_ms: windowMs, tokens: 0, cost_micros: 0 };
    this.#own.set(holder, fresh);
    this.#isChanged = true;
    return fresh;
  }

  #useOf(holder: PrincipalId): BudgetUse | null {
    const own = this.#ownOf(holder);
    if (own === null) return null;
    const other = this.#others.get(holder);
    const others = other?.window_ms === own.window_ms ? other : null;
    const isFirst = own.first_window_ms === own.window_ms;
    const start = this.#starts.get(holder);
    const initial = isFirst ? (start?.tokensUsed ?? 0) : 0;
    // Unknown while the clock is set back to the previous window.
    const span = start?.span?.startMs === own.window_ms ? start.span : null;
    const end = span === null ? {} : { window_end: toRfc3339(span.endMs) };
    return {
      principal_id: holder,
      tokens_used: initial + own.tokens + (others?.tokens ?? 0),
      cost_used_micros: own.cost_micros + (others?.cost_micros ?? 0),
      window_start: toRfc3339(own.window_ms),
      ...end,
    };
  }

  #figureOf(holder: PrincipalId): Figure | null {
    const use = this.#useOf(holder);
    if (use === null || use.window_start === null) return null;
    return {
      principalId: holder,
      windowStartMs: Date.parse(use.window_start),
      tokens_used: use.tokens_used,
      cost_used_micros: use.cost_used_micros,
    };
  }

  /** A file that cannot be read keeps its last content. Throws the first such error after all files are read. */
  async #readOthers(): Promise<void> {
    const { directory, name, slot } = this.#options;
    const own = `${name}-${slot}.json`;
    const isOther = (file: string): boolean =>
      file.startsWith(`${name}-`) && file.endsWith('.json') && file !== own;
    const files = (await readdir(directory).catch(ignoreAbsent)) ?? [];
    const read = new Map<string, StoredBudgets>();
    const failures: unknown[] = [];
    for (const file of files.filter(isOther)) {
      try {
        read.set(file, await readBudgets(join(directory, file)));
      } catch (error) {
        failures.push(error);
        read.set(file, this.#otherFiles.get(file) ?? new Map());
      }
    }
    this.#otherFiles = read;
    this.#others = sumOf([...read.values()]);
    if (failures.length > 0) throw failures[0];
  }

  async #write(): Promise<void> {
    this.#isChanged = false;
    const stored = [...this.#own].slice(-principalsMax);
    const text = writeStoredBudgets(stored);
    try {
      await mkdir(this.#options.directory, { recursive: true, mode: 0o700 });
      await writeAtomically(this.#path(this.#options.slot), Buffer.from(text));
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  #path = (slot: number): string =>
    join(this.#options.directory, `${this.#options.name}-${slot}.json`);

  #warn(error: unknown): void {
    const { directory, log } = this.#options;
    // Logged once per change of state.
    if (!this.#isFailing)
      log.warn({ error, directory }, 'the spending of budgets is not stored on disk');
    this.#isFailing = true;
  }
}

function sumOf(files: readonly StoredBudgets[]): StoredBudgets {
  const sum = new Map<PrincipalId, Counted>();
  for (const [holder, one] of files.flatMap((budgets) => [...budgets])) {
    sum.set(holder, addCounts(sum.get(holder), one));
  }
  return sum;
}

/** `span` is the window that was last computed. */
type Start = {
  readonly tokensUsed: number;
  readonly budget: SnapshotBudget;
  span: WindowSpan | null;
};

/** Computes the window again only when the last one is over, because this runs for every row. */
function currentSpan(start: Start, nowMs: number): WindowSpan {
  const { span } = start;
  if (span !== null && span.startMs <= nowMs && nowMs < span.endMs) return span;
  return (start.span = alignedWindow(start.budget, nowMs));
}

/** Empty when the file does not exist. Throws when it cannot be read. */
async function readBudgets(path: string): Promise<StoredBudgets> {
  const bytes = await readFile(path).catch(ignoreAbsent);
  if (bytes === null) return new Map();
  if (bytes.length > fileBytesMax)
    throw new Error(`${path} has ${bytes.length} bytes; the maximum is ${fileBytesMax}`);
  try {
    return readStoredBudgets(bytes.toString());
  } catch (cause) {
    throw new Error(`${path} is not a valid budgets file`, { cause });
  }
}

function ignoreAbsent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}

/** Atomic and durable: after a crash a reader finds either the old file or the new one. */
async function writeAtomically(path: string, bytes: Buffer): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const temporary = `${path}.tmp`;
  {
    await using file = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    await file.writeFile(bytes);
    await file.sync();
  }
  await rename(temporary, path);
}
