// Reads declarative files or folders of them, and reports problems with file and line.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { declared, heldCredential, isListName, lists } from '../control/configuration/format.ts';
import { plainly } from '../lib/plain-issue.ts';
import { refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { joinSources } from '../snapshot/file/includes.ts';
import { issueLines, issueText, readSource, reference } from '../snapshot/file/source.ts';
import type { Environment, Issue, Path, Source } from '../snapshot/file/source.ts';
import { zodIssues } from '../snapshot/file/zod-issues.ts';

const filesMax = 1_000;
const bytesMax = 16 * 1024 * 1024;

export type DeclaredFiles = Readonly<{
  /** In the format of the admin API, with variables resolved. */
  resources: unknown;
  /** Adds the place in the files to a refusal of the admin API. */
  placed: (refusal: Refusal) => Refusal;
}>;

export async function readDeclaredFiles(
  paths: readonly string[],
  environment: Environment,
): Promise<DeclaredFiles | readonly Refusal[]> {
  const texts = await readTexts(paths);
  if (!(texts instanceof Map)) return [texts];
  const read = (given: Environment) =>
    joined([...texts].map(([file, text]) => readSource(text, given, file)));
  const [source, written] = [read(environment), read({})];
  if (!('tree' in source)) return refusalsOf(source);
  const parsed = declared.safeParse(source.tree ?? {}, plainly);
  const issues = [
    ...source.warnings,
    ...source.lost,
    ...('tree' in written ? bareSecrets(written) : []),
    ...(parsed.success ? unsetVariables(source) : zodIssues(parsed.error, source)),
  ];
  if (issues.length > 0) return refusalsOf(issues);
  return { resources: source.tree ?? {}, placed: (refusal) => placedIn(source, refusal) };
}

const refusalsOf = (issues: readonly Issue[]): readonly Refusal[] =>
  issueLines(issues).map((line) => refuse('invalid', line));

function joined(sources: readonly (Source | readonly Issue[])[]): Source | readonly Issue[] {
  const wrong = sources.flatMap((source) => ('tree' in source ? [] : source));
  const [first, ...others] = sources.flatMap((source) => ('tree' in source ? source : []));
  return wrong.length > 0 || first === undefined ? wrong : joinSources([first, ...others]);
}

/** By path. */
async function readTexts(paths: readonly string[]): Promise<Map<string, string> | Refusal> {
  const texts = new Map<string, string>();
  let bytes = 0;
  try {
    for (const path of paths) {
      for (const file of await filesAt(path)) {
        const text = await readFile(file, 'utf8');
        bytes += Buffer.byteLength(text);
        if (texts.size >= filesMax || bytes > bytesMax) {
          const most = `${filesMax} files and ${bytesMax} bytes`;
          return refuse('invalid', `--file: the maximum is ${most}`);
        }
        texts.set(file, text);
      }
    }
  } catch (error) {
    return refuse('invalid', `--file: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  if (texts.size > 0) return texts;
  return refuse('invalid', `--file: ${paths.join(', ')} has no .yaml, .yml or .json file`);
}

/** Recursively, sorted by name, without hidden files. */
async function filesAt(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = await readdir(path, { recursive: true });
  return names
    .filter((name) => /\.(?:ya?ml|json)$/.test(name) && !/(?:^|[/\\])\./.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

/** Reports credentials in plain text. */
const bareSecrets = ({ tree, issue }: Source): readonly Issue[] =>
  membersOf(tree).flatMap(({ path, value }) =>
    isSecret(path) &&
    typeof value === 'string' &&
    value !== '' &&
    value !== heldCredential &&
    !value.startsWith(reference)
      ? issue(
          path,
          `must be ${reference}NAME or ${heldCredential}; files must not contain credentials`,
        )
      : [],
  );

const isSecret = ([list, , field, ...rest]: Path): boolean =>
  typeof list === 'string' &&
  isListName(list) &&
  rest.length === 0 &&
  lists[list].secrets.includes(String(field));

const unsetVariables = ({ tree, issue }: Source): readonly Issue[] =>
  membersOf(tree).flatMap(({ path, value }) =>
    typeof value === 'string' && value.startsWith(reference)
      ? issue(path, `environment variable ${value.slice(reference.length)} is not set`)
      : [],
  );

type Member = Readonly<{ path: Path; value: unknown }>;

function membersOf(value: unknown, path: Path = []): readonly Member[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return members.flatMap(([key, member]) => membersOf(member, [...path, key]));
}

function placedIn({ issue }: Source, refusal: Refusal): Refusal {
  const [first, ...parts] = refusal.param?.split('.') ?? [];
  if (first !== 'resources' || parts.length === 0) return refusal;
  const path = parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const [list, at] = parts;
  const message = refusal.message.replace(`${list}.${at}: `, '');
  return { ...refusal, message: issueText(issue(path, message)) };
}
