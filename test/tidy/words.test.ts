// Holds the words that no file contains: what was left for later, what was switched off, and where it happened to be made.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filesOfTree, sourcesOfTree } from './tree.ts';

type Ban = Readonly<{ word: RegExp; why: string }>;

const everywhere: readonly Ban[] = [
  { word: /\b(TODO|FIXME|XXX|HACK)\b/, why: 'finish it, or write down the decision' },
  { word: /\bfor now\b/i, why: 'say what holds, not that it may change' },
  { word: /(?<![\w.])\/(work|root|home\/\w+|Users\/\w+)\/[\w.-]/, why: 'a path of one machine' },
];

const inCode: readonly Ban[] = [
  { word: /\b(not (yet )?implemented|unimplemented|work in progress)\b/i, why: 'finish it' },
  { word: /\.(skip|only|todo)\(/, why: 'every test runs' },
  { word: /\{[^}]*\b(skip|only|todo): (true|')/, why: 'every test runs' },
  { word: /\b(eslint|oxlint)-disable(?!.* -- )/, why: 'the rule holds, or a reason follows' },
  { word: /@ts-(ignore|expect-error|nocheck)/, why: 'the types hold' },
];

const vagueName = /(^|[-/])(utils?|helpers?|common|manager|misc)([-./]|$)/;

/** They name what they ban. */
const exempt = new Set(['test/tidy/words.test.ts', 'docs/STYLE.md']);
/** Written by a tool. */
const isLock = (path: string): boolean => path === 'package-lock.json';

function hits(
  files: readonly Readonly<{ path: string; text: string }>[],
  bans: readonly Ban[],
): readonly string[] {
  return files
    .filter(({ path }) => !exempt.has(path) && !isLock(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          bans
            .filter(({ word }) => word.test(line))
            .map(({ why }) => `${path}:${index + 1} ${line.trim().slice(0, 80)} (${why})`),
        ),
    );
}

test('no file puts work off or names a place of one machine', () => {
  assert.deepEqual(hits(filesOfTree(), everywhere), []);
});

test('no source switches a test, a rule or a type off', () => {
  assert.deepEqual(hits(sourcesOfTree(), inCode), []);
});

test('a file is named for its one thing', () => {
  const vague = filesOfTree()
    .map(({ path }) => path)
    .filter((path) => vagueName.test(path));
  assert.deepEqual(vague, []);
});

test('the check itself finds what it bans', () => {
  const text = "test.skip('x');\n// TODO later\n// @ts-ignore\n";
  const found = hits([{ path: 'src/x.ts', text }], [...everywhere, ...inCode]);
  assert.equal(found.length, 3);
});
