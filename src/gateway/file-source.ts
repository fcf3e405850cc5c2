// Serves from a configuration file (File mode): read at the start, again at each check when its
// content has changed, and at once when told to. A file that cannot be used leaves the last one
// in force.

import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Encoders } from '../classifier/encoder.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { readConfigFile } from '../snapshot/file-mode.ts';
import type { FileAccess } from '../snapshot/file-mode.ts';
import type { Snapshot } from '../snapshot/schema.ts';
import { fileBytesMax } from '../snapshot/file/source.ts';
import type { Environment } from '../snapshot/file/source.ts';
import type { Log } from '../telemetry/log.ts';
import { fileCentroids } from './file-centroids.ts';
import type { Live } from './live.ts';

/** Whoever writes a file in several pieces writes the next one sooner. */
const settleMs = 100;

export type FileSourceOptions = Readonly<{
  path: string;
  environment: Environment;
  access: FileAccess;
  live: Live;
  log: Log;
  checkMs: number;
  /** What the centroids of prompt classes are made with; without it no class has one. */
  encoders?: Encoders;
  /** Adds to a snapshot of the file what is not in the file. */
  complete?: (snapshot: Snapshot) => Snapshot;
}>;

export type FileSource = Readonly<{
  /** Reads the file now, changed or not. */
  reload: () => Promise<void>;
  stop: () => void;
}>;

/** The refusal names the field, when the file cannot be used at the start. */
export async function startFileSource(options: FileSourceOptions): Promise<FileSource | Refusal> {
  const { log } = options;
  let served: string | null = null;
  let seen: string | null = null;
  let reported: string | null = null;
  const load = async (isForced: boolean): Promise<Refusal | undefined> => {
    const source = await readText(options.path);
    if (isRefusal(source)) return source;
    // Half of a file may be a good file with half of the models. Whoever asks for it knows that it is whole.
    const isNews = source !== seen && !isForced;
    if (isNews && !(await isSettled(options.path, source))) return undefined;
    if (source === served && !isForced) options.live.confirm();
    if (source === seen && !isForced) return undefined;
    seen = source;
    const refusal = await applySource(options, source);
    if (refusal === undefined) served = source;
    else options.live.refuse(null, refusal.message);
    return refusal;
  };
  const check = async (isForced: boolean): Promise<void> => {
    const refusal = await load(isForced);
    // A file that is gone for a day is not a line every check.
    const reason = refusal?.message ?? null;
    if (reason !== null && (isForced || reason !== reported)) {
      log.error({ reason }, 'the file was refused');
    }
    reported = reason;
  };
  let waiting = 0;
  let last = Promise.resolve();
  /** One after the other, so that what was read first is never applied last. */
  const enqueue = (isForced: boolean): Promise<void> => {
    waiting++;
    last = last.then(() => check(isForced)).finally(() => void waiting--);
    return last;
  };
  const refusal = await load(true);
  if (refusal !== undefined) return refusal;
  const timer = setInterval(() => {
    if (waiting === 0) void enqueue(false);
  }, options.checkMs).unref();
  return { reload: () => enqueue(true), stop: () => clearInterval(timer) };
}

async function applySource(
  options: FileSourceOptions,
  source: string,
): Promise<Refusal | undefined> {
  const { live, log, environment, access, encoders } = options;
  const read = readConfigFile(source, environment, access);
  if (isRefusal(read)) return read;
  for (const warning of read.warnings) log.warn({}, warning);
  if (read.snapshot.config.settings.open) {
    log.warn({}, 'the gateway is open: the file has no auth block and no key is required');
  }
  const { complete = (snapshot) => snapshot } = options;
  if (encoders === undefined) return live.apply(complete(read.snapshot), read.tuning);
  const classifier = await fileCentroids(read, encoders, (error) =>
    log.error({ error }, 'the refined encoder cannot be used'),
  );
  return live.apply(complete({ ...read.snapshot, classifier }), read.tuning);
}

/** Nobody wrote to it meanwhile; otherwise the next check sees it again. */
async function isSettled(path: string, source: string): Promise<boolean> {
  await sleep(settleMs, undefined, { ref: false });
  return (await readText(path)) === source;
}

async function readText(path: string): Promise<string | Refusal> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > fileBytesMax) return refuse('too_large', `${path} has ${size} bytes`);
    return await file.readFile('utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse('absent', `${path}: ${code}`);
  }
}
