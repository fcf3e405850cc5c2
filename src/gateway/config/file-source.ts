// Serves from a configuration file and the files that it includes (File mode): read at the start, again when a check finds
// a change, and at once when told to. Files that cannot be used leave the last ones in force.

import { setTimeout as sleep } from 'node:timers/promises';

import type { Encoders } from '../../classifier/encoder.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { checkConfigFile } from '../../snapshot/file-mode.ts';
import type { FileAccess } from '../../snapshot/file-mode.ts';
import type { Snapshot } from '../../snapshot/schema.ts';
import { issueLines } from '../../snapshot/file/source.ts';
import type { Environment } from '../../snapshot/file/source.ts';
import type { Log } from '../../telemetry/log.ts';
import { areUnchanged, readConfigFiles } from './config-files.ts';
import type { ConfigFiles } from './config-files.ts';
import { fileCentroids } from './file-centroids.ts';
import type { Live } from './live.ts';

/** A program that writes a file in several pieces writes the next piece within this time. */
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

/** Lines that say what is wrong, when the files cannot be used. */
type Problems = readonly string[];

/** Refuses with all that is wrong when the files cannot be used at the start. */
export async function startFileSource(options: FileSourceOptions): Promise<FileSource | Refusal> {
  const { path, environment, live, log } = options;
  let served: ConfigFiles['texts'] | null = null;
  let seen: ConfigFiles['texts'] | null = null;
  let reported: string | null = null;
  const load = async (isForced: boolean): Promise<Problems | undefined> => {
    if (!isForced && seen !== null && (await areUnchanged(seen))) {
      if (seen === served) live.confirm();
      return undefined;
    }
    const files = await readConfigFiles(path, environment);
    if (isRefusal(files)) return [files.message];
    // Half of a file can be a good file with half of the models. A forced read is of files that are complete.
    if (!isForced && !(await isSettled(files))) return undefined;
    seen = files.texts;
    const problems = await applyFiles(options, files);
    if (problems === undefined) served = seen;
    else live.refuse(null, summaryOf(problems));
    return problems;
  };
  const check = async (isForced: boolean): Promise<void> => {
    const problems = await load(isForced);
    // A file that is gone for a day is not a line every check.
    const news = problems?.join('\n') ?? null;
    if (problems !== undefined && (isForced || news !== reported)) {
      log.error({ reason: summaryOf(problems) }, 'the file was refused');
      for (const line of problems.slice(1)) log.error({}, line);
    }
    reported = news;
  };
  let waiting = 0;
  let last = Promise.resolve();
  /** One after the other, so that what was read first is never applied last. */
  const enqueue = (isForced: boolean): Promise<void> => {
    waiting++;
    last = last.then(() => check(isForced)).finally(() => void waiting--);
    return last;
  };
  const problems = await load(true);
  if (problems !== undefined) return refuse('invalid', problems.join('\n  '));
  const timer = setInterval(() => {
    if (waiting === 0) void enqueue(false);
  }, options.checkMs).unref();
  return { reload: () => enqueue(true), stop: () => clearInterval(timer) };
}

const summaryOf = ([first = '', ...others]: Problems): string =>
  others.length === 0 ? first : `${first}; and more`;

async function applyFiles(
  options: FileSourceOptions,
  { source }: ConfigFiles,
): Promise<Problems | undefined> {
  const { live, log, environment, access, encoders } = options;
  const { file: read, errors } = checkConfigFile(source, environment, access);
  if (read === null) return issueLines(errors);
  for (const warning of read.warnings) log.warn({}, warning);
  if (read.snapshot.config.settings.open) {
    log.warn({}, 'the gateway is open: the file has no auth block and no key is required');
  }
  const { complete = (snapshot) => snapshot } = options;
  if (encoders === undefined) return problemsOf(live.apply(complete(read.snapshot), read.tuning));
  const classifier = await fileCentroids(read, encoders, (error) =>
    log.error({ error }, 'the refined encoder cannot be used'),
  );
  return problemsOf(live.apply(complete({ ...read.snapshot, classifier }), read.tuning));
}

const problemsOf = (refusal: Refusal | undefined): Problems | undefined =>
  refusal === undefined ? undefined : [refusal.message];

/** False when a file was written in the meantime; the next check reads it again. */
async function isSettled({ texts }: ConfigFiles): Promise<boolean> {
  await sleep(settleMs, undefined, { ref: false });
  return areUnchanged(texts);
}
