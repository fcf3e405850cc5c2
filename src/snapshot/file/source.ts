// Parses a configuration file into a plain tree, and keeps the line of each value for messages.

import { hash } from 'node:crypto';

import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Pair } from 'yaml';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Nodes after resolving aliases: a small file must not expand to a large one. */
const aliasesMax = 1000;

export type Path = readonly PropertyKey[];

/** A problem of a file, or an ignored setting. `path` has the form `model_list[1].model_name`. */
export type Issue = Readonly<{
  path: string;
  file: string | null;
  line: number | null;
  message: string;
}>;

export type Source = Readonly<{
  /** With references to environment variables resolved, if they are set. */
  tree: unknown;
  issue: (path: Path, message: string) => Issue;
  warnings: readonly Issue[];
  /** Settings that an included file replaces. These are warnings too. */
  lost: readonly Issue[];
  /** SHA-256 of the text. */
  digest: string;
}>;

/** Receives errors and warnings of a reader. */
export type Notes = Readonly<{
  source: Source;
  errors: Issue[];
  warnings: Issue[];
}>;

export type ReadOptions = Readonly<{
  environment: Environment;
  /** The default of general_settings.master_key. */
  masterKey: string | null;
  /** Accepts a file with other records only: they are added to existing models. */
  mayLackModels?: boolean;
  /** Leaves out entries of model_list that gw cannot serve, with a warning each. */
  skipUnsupported?: boolean;
}>;

export const issueOfFile = (message: string): Issue => ({
  path: '',
  file: null,
  line: null,
  message,
});

/** `model_list[1].model_name: message (gw.yaml line 7)`. */
export function issueText({ path, file, line, message }: Issue): string {
  const place = [file, line === null ? null : `line ${line}`].filter((part) => part !== null);
  const end = place.length === 0 ? '' : ` (${place.join(' ')})`;
  return `${path === '' ? 'file' : path}: ${message}${end}`;
}

const shownMax = 50;

/** One line per problem, up to a limit, and the number of the others. */
export function issueLines(issues: readonly Issue[]): readonly string[] {
  const more = issues.length - shownMax;
  const shown = issues.slice(0, shownMax).map(issueText);
  return more > 0 ? [...shown, `and ${more} more; gw config check shows all`] : shown;
}

/** Returns the problem if the text is not YAML. */
export function readSource(
  text: string,
  environment: Environment,
  file: string | null = null,
): Source | readonly Issue[] {
  const wrong = (line: number | null, message: string): readonly Issue[] => [
    { path: '', file, line, message: `not valid YAML: ${message}` },
  ];
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { uniqueKeys: false, merge: true, lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = error.linePos?.[0].line ?? null;
      const [message = ''] = error.message.split('\n', 1);
      return wrong(line, message.replace(/ at line .*$/, ''));
    }
    const tree: unknown = document.toJS({ maxAliasCount: aliasesMax });
    const issue = (path: Path, message: string): Issue => ({
      path: pathText(path),
      file,
      line: lineAt(document, lines, path),
      message,
    });
    return {
      tree: resolveReferences(tree, environment),
      issue,
      warnings: duplicatesIn(document, lines, file),
      lost: [],
      digest: hash('sha256', text),
    };
  } catch (error) {
    // Too deeply nested, or more alias nodes than allowed.
    return wrong(null, error instanceof Error ? error.message : 'unreadable');
  }
}

const pathText = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');

const keyOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** A missing key is reported at its parent. */
function lineAt(document: Document, lines: LineCounter, path: Path): number | null {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.findLast((pair) => keyOf(pair) === String(part));
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part];
      offset = startOf(node) ?? offset;
    } else {
      break;
    }
  }
  return offset === null ? null : lines.linePos(offset).line;
}

const startOf = (node: unknown): number | null =>
  isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? null) : null;

/** The last one is used, as in the common format. */
function duplicatesIn(
  document: Document,
  lines: LineCounter,
  file: string | null,
): readonly Issue[] {
  const found: Issue[] = [];
  const walk = (node: unknown, path: Path): void => {
    if (isSeq(node)) {
      for (const [index, member] of node.items.entries()) {
        if (isMap(member) || isSeq(member)) walk(member, [...path, index]);
      }
    }
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const pair of node.items) {
      const key = keyOf(pair);
      const at = [...path, key];
      if (seen.has(key) && key !== '<<') {
        const offset = startOf(pair.key);
        const line = offset === null ? null : lines.linePos(offset).line;
        found.push({
          path: pathText(at),
          file,
          line,
          message: 'appears twice; the last one is used',
        });
      }
      seen.add(key);
      if (isMap(pair.value) || isSeq(pair.value)) walk(pair.value, at);
    }
  };
  walk(document.contents, []);
  return found;
}

export const reference = 'os.environ/';

/** `os.environ/NAME` may replace any string. Unresolved references stay unchanged. */
function resolveReferences(value: unknown, environment: Environment): unknown {
  if (typeof value === 'string' && value.startsWith(reference)) {
    const name = value.slice(reference.length);
    return (Object.hasOwn(environment, name) ? environment[name] : undefined) ?? value;
  }
  if (Array.isArray(value)) return value.map((member) => resolveReferences(member, environment));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveReferences(member, environment)]),
  );
}
