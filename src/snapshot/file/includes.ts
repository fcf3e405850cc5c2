// Resolves `include` of a configuration file: included files are read as part of the file. The
// shell reads them (src/gateway/config/config-files.ts).

import { hash } from 'node:crypto';

import type { Issue, Path, Source } from './source.ts';

export type Include = Readonly<{
  /** Relative to the file that names it. */
  path: string;
  issue: (message: string) => Issue;
}>;

/** In order. An issue if the value is not a list of paths. */
export function includesOf({ tree, issue }: Source): readonly Include[] | Issue {
  const given = blockOf(tree)['include'] ?? [];
  const paths: readonly unknown[] = Array.isArray(given) ? given : [given];
  const texts = paths.filter((path) => typeof path === 'string' && path !== '');
  if (texts.length < paths.length) return issue(['include'], 'must be a list of paths of files');
  return texts.map((path, index) => ({
    path: String(path),
    issue: (message) => issue(['include', index], message),
  }));
}

/** gw's own blocks must be in one file only. */
const ownBlocks: ReadonlySet<string> = new Set(['auth', 'gw', 'fastllm', 'settings']);

type Part = Readonly<{ source: Source; from: number; length: number }>;

/**
 * In reading order. Lists are concatenated. Any other value of a later file replaces the earlier
 * one, with a warning.
 */
export function joinSources(sources: readonly [Source, ...Source[]]): Source | readonly Issue[] {
  const [main] = sources;
  const tree: Record<string, unknown> = {};
  const parts = new Map<string, readonly Part[]>();
  const lost: Issue[] = [];
  const errors: Issue[] = [];
  for (const source of sources) {
    for (const [key, value] of Object.entries(blockOf(source.tree))) {
      if (key === 'include') continue;
      const before = tree[key];
      const earlier = parts.get(key) ?? [];
      const isJoined = Array.isArray(before) && Array.isArray(value);
      const from = isJoined ? before.length : 0;
      const part = { source, from, length: Array.isArray(value) ? value.length : 0 };
      const replaced = isJoined ? undefined : earlier.at(-1)?.source;
      if (replaced !== undefined && ownBlocks.has(key)) {
        errors.push(source.issue([key], `is also in ${fileOf(replaced)}; write it in one file`));
      } else if (replaced !== undefined) {
        lost.push(...lostBy({ key, before, value, replaced, by: source }));
      }
      tree[key] = isJoined ? [...before, ...value] : value;
      parts.set(key, isJoined ? [...earlier, part] : [part]);
    }
  }
  if (errors.length > 0) return errors;
  const digests = sources.map(({ digest }) => digest);
  return {
    tree: main.tree === null && sources.length === 1 ? null : tree,
    issue: (path, message) => issueIn(parts, main, path, message),
    warnings: sources.flatMap(({ warnings }) => warnings),
    lost,
    digest: digests.length === 1 ? main.digest : hash('sha256', digests.join(' ')),
  };
}

const fileOf = ({ issue }: Source): string => issue([], '').file ?? 'the main file';

type Replacement = Readonly<{
  key: string;
  before: unknown;
  value: unknown;
  replaced: Source;
  by: Source;
}>;

function lostBy({ key, before, value, replaced, by }: Replacement): readonly Issue[] {
  const after = blockOf(value);
  const { line } = by.issue([key], '');
  const place = `${fileOf(by)} line ${line ?? 1}`;
  return Object.entries(blockOf(before)).flatMap(([name, setting]) =>
    setting === null || JSON.stringify(after[name]) === JSON.stringify(setting)
      ? []
      : [replaced.issue([key, name], `is lost: ${key} of ${place} replaces this block`)],
  );
}

/** Positions in a concatenated list are counted within the original file. */
function issueIn(
  parts: ReadonlyMap<string, readonly Part[]>,
  main: Source,
  path: Path,
  message: string,
): Issue {
  const [key, index, ...rest] = path;
  const own = parts.get(String(key)) ?? [];
  if (typeof index === 'number') {
    const part = own.find(({ from, length }) => index >= from && index < from + length);
    if (part !== undefined) {
      return part.source.issue([String(key), index - part.from, ...rest], message);
    }
  }
  return (own.at(-1)?.source ?? main).issue(path, message);
}

type Block = Readonly<Record<string, unknown>>;

const blockOf = (value: unknown): Block => (isBlock(value) ? value : {});

const isBlock = (value: unknown): value is Block =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
