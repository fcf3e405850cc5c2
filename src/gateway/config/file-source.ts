// Serves a configuration file and its includes (File mode). Reads them at startup, after a detected
// change, and on request. Invalid files leave the previous configuration in force.

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

/** A program that writes a file in several pieces must write the next piece within this time. */
const settleMs = 100;

export type FileSourceOptions = Readonly<{
  path: string;
  environment: Environment;
  access: FileAccess;
  live: Live;
  log: Log;
  checkMs: number;
  /** For the centroids of prompt classes. Without encoders no class has a centroid. */
  encoders?: Encoders;
  /** Adds state to the snapshot that is not in the file. */
  complete?: (snapshot: Snapshot) => Snapshot;
}>;

export type FileSource = Readonly<{
  /** Reads the files now, even if they have not changed. */
  reload: () => Promise<void>;
  stop: () => void;
}>;

type Problems = readonly string[];

/** Refuses with all errors when the files cannot be used at startup. */
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
    // A partly written file can be valid and miss models. A forced read expects complete files.
    if (!isForced && !(await isSettled(files))) return undefined;
    seen = files.texts;
    const problems = await applyFiles(options, files);
    if (problems === undefined) served = seen;
    else live.refuse(null, summaryOf(problems));
    return problems;
  };
  const check = async (isForced: boolean): Promise<void> => {
    const problems = await load(isForced);
    // Logged once per error, not at every check.
    const news = problems?.join('\n') ?? null;
    if (problems !== undefined && (isForced || news !== reported)) {
      log.error(
        { reason: summaryOf(problems) },
        'the configuration file was refused; the previous configuration stays in force',
      );
      for (const line of problems.slice(1)) log.error({}, line);
    }
    reported = news;
  };
  let waiting = 0;
  let last = Promise.resolve();
  /** Runs one check at a time, so that an older read is never applied last. */
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
    log.warn({}, 'the gateway is open: it requires no key, because the file has no auth block');
  }
  const { complete = (snapshot) => snapshot } = options;
  if (encoders === undefined) return problemsOf(live.apply(complete(read.snapshot), read.tuning));
  const classifier = await fileCentroids(read, encoders, (error) =>
    log.error({ error }, 'the refined encoder failed to load'),
  );
  return problemsOf(live.apply(complete({ ...read.snapshot, classifier }), read.tuning));
}

const problemsOf = (refusal: Refusal | undefined): Problems | undefined =>
  refusal === undefined ? undefined : [refusal.message];

/** False when a file changed during the wait. The next check reads it again. */
async function isSettled({ texts }: ConfigFiles): Promise<boolean> {
  await sleep(settleMs, undefined, { ref: false });
  return areUnchanged(texts);
}
