// Reads a configuration file and its includes, within limits. Records every file that was looked
// up, so that a change of any of them is detected.

import { open } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { includesOf, joinSources } from '../../snapshot/file/includes.ts';
import type { Include } from '../../snapshot/file/includes.ts';
import { readSource } from '../../snapshot/file/source.ts';
import type { Environment, Issue, Source } from '../../snapshot/file/source.ts';

/** `bytesMax` applies to all files together. `depthMax` limits nested includes. */
const bytesMax = 16 * 1024 * 1024;
const filesMax = 100;
const depthMax = 10;

export type ConfigFiles = Readonly<{
  /** The merged configuration, or its errors. */
  source: Source | readonly Issue[];
  /** Every file that was looked up. The text is null when it cannot be read. */
  texts: ReadonlyMap<string, string | null>;
}>;

/** Refuses with `absent` or `too_large` when the main file cannot be read. */
export async function readConfigFiles(
  path: string,
  environment: Environment,
): Promise<ConfigFiles | Refusal> {
  const main = normalize(path);
  const text = await readText(main);
  if (isRefusal(text)) return text;
  const walk = newWalk(main, environment);
  addText(walk, { file: main, text, above: [] });
  for (let next = walk.pending.shift(); next !== undefined; next = walk.pending.shift()) {
    await follow(walk, next);
  }
  const [first, ...others] = walk.sources;
  const source =
    walk.errors.length > 0 || first === undefined ? walk.errors : joinSources([first, ...others]);
  return { source, texts: walk.texts };
}

export async function areUnchanged(texts: ConfigFiles['texts']): Promise<boolean> {
  for (const [path, before] of texts) {
    const text = await readText(path);
    if ((isRefusal(text) ? null : text) !== before) return false;
  }
  return true;
}

/** `above` lists the including files, the main file first. */
type Pending = Readonly<{ include: Include; above: readonly string[] }>;

type Walk = {
  readonly main: string;
  readonly environment: Environment;
  readonly texts: Map<string, string | null>;
  readonly sources: Source[];
  readonly errors: Issue[];
  pending: Pending[];
  bytes: number;
};

const newWalk = (main: string, environment: Environment): Walk => ({
  main,
  environment,
  texts: new Map(),
  sources: [],
  errors: [],
  pending: [],
  bytes: 0,
});

type ReadFile = Readonly<{ file: string; text: string; above: readonly string[] }>;

function addText(walk: Walk, { file, text, above }: ReadFile): void {
  walk.texts.set(file, text);
  walk.bytes += Buffer.byteLength(text);
  const source = readSource(text, walk.environment, file);
  if (!('tree' in source)) return void walk.errors.push(...source);
  walk.sources.push(source);
  const includes = includesOf(source);
  if ('message' in includes) return void walk.errors.push(includes);
  walk.pending.push(...includes.map((include) => ({ include, above: [...above, file] })));
}

async function follow(walk: Walk, { include, above }: Pending): Promise<void> {
  const report = (message: string): void => void walk.errors.push(include.issue(message));
  const found = await find(walk, include.path, above);
  if (isRefusal(found)) return report(found.message);
  const { file, text } = found;
  if (above.includes(file))
    return report(`these files include each other: ${[...above, file].join(' > ')}`);
  if (text === null) return;
  if (above.length > depthMax) return report(`includes are nested deeper than ${depthMax} files`);
  const isFull = walk.sources.length >= filesMax;
  if (isFull || walk.bytes + Buffer.byteLength(text) > bytesMax) {
    walk.pending = [];
    return report(
      isFull
        ? `the configuration has more than ${filesMax} files`
        : `the configuration files have more than ${bytesMax} bytes in total`,
    );
  }
  addText(walk, { file, text, above });
}

/** Looks next to the including file, then next to the main file. A file that was already read has no text here. */
async function find(
  walk: Walk,
  path: string,
  above: readonly string[],
): Promise<Readonly<{ file: string; text: string | null }> | Refusal> {
  const besidePath = (file: string): string =>
    isAbsolute(path) ? normalize(path) : join(dirname(file), path);
  const places = new Set([besidePath(above.at(-1) ?? walk.main), besidePath(walk.main)]);
  let refusal: Refusal | null = null;
  for (const file of places) {
    if ((walk.texts.get(file) ?? null) !== null) return { file, text: null };
    const text = await readText(file);
    if (!isRefusal(text)) return { file, text };
    walk.texts.set(file, null);
    refusal ??= text;
  }
  return refusal ?? refuse('absent', `${path} cannot be read`);
}

/** Reads one byte more than allowed, so that pipes and devices are bounded too. */
async function readText(path: string): Promise<string | Refusal> {
  try {
    await using file = await open(path);
    const chunks: Buffer[] = [];
    for await (const chunk of file.createReadStream({ end: bytesMax, autoClose: false })) {
      if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    }
    const whole = Buffer.concat(chunks);
    if (whole.length > bytesMax) {
      return refuse('too_large', `${path} is larger than ${bytesMax} bytes`);
    }
    return whole.toString('utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return refuse('absent', `${path} cannot be read (${code})`);
  }
}
