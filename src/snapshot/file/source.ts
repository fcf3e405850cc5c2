// Reads the text of a configuration file into a plain tree, and remembers in which line each value stands, so that
// whatever is said of the file can name it.

import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Document, Pair } from 'yaml';

export type Environment = Readonly<Record<string, string | undefined>>;

export const fileBytesMax = 16 * 1024 * 1024;

/** How many nodes aliases may stand for: a small file must not unfold into a large one. */
const aliasesMax = 1000;

export type Path = readonly PropertyKey[];

/** What is wrong with a file, or not done of it. `path` is written as in `model_list[1].model_name`. */
export type Issue = Readonly<{ path: string; line: number | null; message: string }>;

export type Source = Readonly<{
  /** With every reference to a variable that is set resolved. */
  tree: unknown;
  issue: (path: Path, message: string) => Issue;
  /** Keys that stand twice in one block; the last one counts, as in the format that this one extends. */
  duplicates: readonly Issue[];
}>;

/** `model_list[1].model_name: message (line 7)`. */
export const issueText = ({ path, line, message }: Issue): string =>
  `${path === '' ? 'file' : path}: ${message}${line === null ? '' : ` (line ${line})`}`;

/** An error's text, when the file is no YAML. */
export function readSource(text: string, environment: Environment): Source | Issue {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { uniqueKeys: false, merge: true, lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = error.linePos?.[0].line ?? null;
      const [message = ''] = error.message.split('\n', 1);
      return { path: '', line, message: `not valid YAML: ${message.replace(/ at line .*$/, '')}` };
    }
    const tree: unknown = document.toJS({ maxAliasCount: aliasesMax });
    const issue = (path: Path, message: string): Issue => ({
      path: pathText(path),
      line: lineAt(document, lines, path),
      message,
    });
    const duplicates = duplicatesIn(document, lines);
    return { tree: resolveReferences(tree, environment), issue, duplicates };
  } catch (error) {
    // Too deep, or more behind aliases than there may be.
    const message = error instanceof Error ? error.message : 'unreadable';
    return { path: '', line: null, message: `not valid YAML: ${message}` };
  }
}

const pathText = (path: Path): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');

const keyOf = ({ key }: Pair): string => String(isScalar(key) ? key.value : key);

/** The line of the deepest part of `path` that stands in the file: a missing key is missed where it belongs. */
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

function duplicatesIn(document: Document, lines: LineCounter): readonly Issue[] {
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
        found.push({ path: pathText(at), line, message: 'stands twice; the last one counts' });
      }
      seen.add(key);
      if (isMap(pair.value) || isSeq(pair.value)) walk(pair.value, at);
    }
  };
  walk(document.contents, []);
  return found;
}

export const reference = 'os.environ/';

/** `os.environ/NAME` may stand for any string; one that cannot be resolved is left as it is. */
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
