// Stores undelivered usage on the proxy's disk: append-only files of limited size, read in order.
//
// A row is flushed (fdatasync) before it leaves memory. Damaged lines are skipped. Another process can take over a file by
// renaming it, so the rows of a killed process are delivered by the next one. A writer whose file was taken over writes its
// last rows again. Rows can therefore arrive twice, and count once by id.

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import type { Log } from '../../telemetry/log.ts';
import type { Source } from '../../telemetry/scrape.ts';
import { readSpool, spoolHead, spoolLines } from './spool-format.ts';

/** A new file starts at this size. Files are read at once, so longer ones would delay requests. */
const fileBytesDefault = 1024 * 1024;
/** The number of takeovers that one append survives. */
const rewritesMax = 5;

const fileName = /^(\d{15})-([0-9a-f]{16})-[0-9a-f]{8}\.usage$/;

export type SpooledBatch = Readonly<{
  /** The replica that recorded the events. */
  replica: string;
  /** JSON texts as recorded, oldest first. */
  events: readonly string[];
}>;

export type UsageSpool = Readonly<{
  isEmpty: () => boolean;
  /** For metrics: the fill level. */
  source: Source;
  /** `rows` must be JSON. Returns the number of rows, from the first one on, that fitted. Throws when the disk write fails. */
  append: (rows: readonly Buffer[]) => Promise<number>;
  /** The oldest events; null when nothing is left. */
  next: (eventsMax: number) => Promise<SpooledBatch | null>;
  /** Removes the events that `next` returned last. */
  drop: () => Promise<void>;
  close: () => Promise<void>;
}>;

export type UsageSpoolOptions = Readonly<{
  directory: string;
  replica: string;
  /** For all files together. */
  bytesMax: number;
  fileBytesMax?: number;
  log: Log;
}>;

type SpoolFile = { path: string; bytes: number };
type Active = SpoolFile & Readonly<{ handle: FileHandle; inode: number }>;
type Reading = { readonly file: SpoolFile; readonly batch: SpooledBatch; from: number; to: number };

/** Takes over existing files. Throws when the directory cannot be used. */
export async function openUsageSpool(options: UsageSpoolOptions): Promise<UsageSpool> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const owner = randomBytes(4).toString('hex');
  const spool = new Files(options, owner, await takeOver(options.directory, owner));
  // Operations run one at a time: an append may arrive while the oldest file is read.
  let last: Promise<unknown> = Promise.resolve();
  const serially = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
  return {
    isEmpty: () => spool.isEmpty(),
    source: (scrape) => {
      scrape.add('usageSpoolBytes', {}, spool.bytes());
      scrape.add('usageSpoolBytesMax', {}, options.bytesMax);
    },
    append: (rows) => serially(() => spool.append(rows)),
    next: (eventsMax) => serially(() => spool.next(eventsMax)),
    drop: () => serially(() => spool.drop()),
    close: () => serially(() => spool.closeActive()),
  };
}

async function takeOver(directory: string, owner: string): Promise<SpoolFile[]> {
  const files: SpoolFile[] = [];
  for (const name of (await readdir(directory)).toSorted()) {
    const [, time, id] = fileName.exec(name) ?? [];
    if (time === undefined || id === undefined) continue;
    const path = join(directory, `${time}-${id}-${owner}.usage`);
    const taken = await rename(join(directory, name), path).then(() => true, isGone);
    if (taken) files.push({ path, bytes: (await stat(path)).size });
  }
  return files;
}

/** Another process has taken over or deleted the file. */
function isGone(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
  throw error;
}

class Files {
  readonly #options: UsageSpoolOptions;
  readonly #owner: string;
  /** In read order. The active file is the last. */
  #files: SpoolFile[];
  #active: Active | null = null;
  #reading: Reading | null = null;
  #newestMs = 0;

  constructor(options: UsageSpoolOptions, owner: string, files: SpoolFile[]) {
    this.#options = options;
    this.#owner = owner;
    this.#files = files;
  }

  isEmpty(): boolean {
    return this.#files.length === 0;
  }

  bytes(): number {
    return this.#files.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async append(rows: readonly Buffer[]): Promise<number> {
    const { lines, count } = spoolLines(rows, this.#options.bytesMax - this.bytes());
    if (count === 0) return 0;
    for (let writes = 0; writes <= rewritesMax; writes++) {
      if (await this.#write(await this.#writable(), lines)) return count;
    }
    throw new Error('the spool file was taken over repeatedly by other processes');
  }

  async next(eventsMax: number): Promise<SpooledBatch | null> {
    this.#reading ??= await this.#readOldest();
    const reading = this.#reading;
    if (reading === null) return null;
    reading.to = Math.min(reading.from + eventsMax, reading.batch.events.length);
    const events = reading.batch.events.slice(reading.from, reading.to);
    return { replica: reading.batch.replica, events };
  }

  async drop(): Promise<void> {
    const reading = this.#reading;
    if (reading === null) return;
    reading.from = reading.to;
    if (reading.from >= reading.batch.events.length) await this.#remove(reading.file);
  }

  async closeActive(): Promise<void> {
    const active = this.#active;
    this.#active = null;
    await active?.handle.close();
  }

  async #writable(): Promise<Active> {
    const fileBytesMax = this.#options.fileBytesMax ?? fileBytesDefault;
    if (this.#active !== null && this.#active.bytes < fileBytesMax) return this.#active;
    await this.closeActive();
    const { directory, replica } = this.#options;
    this.#newestMs = Math.max(Date.now(), this.#newestMs + 1);
    const time = String(this.#newestMs).padStart(15, '0');
    const id = randomBytes(8).toString('hex');
    const path = join(directory, `${time}-${id}-${this.#owner}.usage`);
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    const head = spoolHead(replica);
    try {
      const { ino: inode } = await handle.stat();
      await handle.appendFile(head);
      await syncDirectory(directory);
      this.#active = { path, bytes: head.length, handle, inode };
    } catch (error) {
      await handle.close();
      await unlink(path).catch(isGone);
      throw error;
    }
    this.#files.push(this.#active);
    return this.#active;
  }

  /** Returns false when the file was taken over: the other process may have read it before this write. */
  async #write(active: Active, lines: Buffer): Promise<boolean> {
    try {
      await active.handle.appendFile(lines);
      await active.handle.datasync();
    } catch (error) {
      // Rows after a damaged line would be lost, so the next append starts a new file.
      await this.closeActive();
      throw error;
    }
    active.bytes += lines.length;
    const found = await stat(active.path).catch(isGone);
    if (found !== false && found.ino === active.inode) return true;
    await this.closeActive();
    this.#forget(active);
    return false;
  }

  async #readOldest(): Promise<Reading | null> {
    for (;;) {
      const [file] = this.#files;
      if (file === undefined) return null;
      if (file === this.#active) await this.closeActive();
      const bytes = await readFile(file.path).catch(isGone);
      const read = bytes === false ? null : readSpool(bytes);
      if (read !== null && read.torn > 0) {
        const fields = { file: file.path, lines: read.torn };
        this.#options.log.warn(fields, 'spooled usage was damaged; its lines are skipped');
      }
      if (read !== null && read.events.length > 0) return { file, batch: read, from: 0, to: 0 };
      await this.#remove(file);
    }
  }

  async #remove(file: SpoolFile): Promise<void> {
    // A file that cannot be deleted is read again at the next start.
    this.#forget(file);
    await unlink(file.path).catch(isGone);
  }

  #forget(file: SpoolFile): void {
    this.#files = this.#files.filter((other) => other !== file);
    if (this.#reading?.file === file) this.#reading = null;
  }
}

/** Makes a new file survive a crash of the machine. */
async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, constants.O_RDONLY);
  await handle.sync();
}
