// Tests the sizes of files and lines, and that each file begins with a comment on its purpose
// (style rules 8 and 30).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { filesOfTree, sourcesOfTree } from './tree.ts';

const linesMax = 400;
const columnsMax = 100;

/** Lines with a comment, a message or a pattern may be longer, so that prose is not split. */
const proseColumnsMax = 140;
const longText = /'[^']{30,}'|"[^"]{30,}"|`[^`]{30,}|\/\S{40,}\//;

/** Recorded bytes, tables of cases and benchmark reports are easier to read unwrapped. */
const isData = (path: string): boolean =>
  path.startsWith('test/fixtures/') || path.startsWith('bench/');

test('no source file is longer than 400 lines', () => {
  const long = sourcesOfTree()
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ path, lines }) => `${path} has ${lines}`);
  assert.deepEqual(long, []);
});

const lintRules = z.looseObject({ rules: z.record(z.string(), z.unknown()) });

test('the linter refuses a function of more than four parameters or 70 lines, everywhere in the program', () => {
  const files = filesOfTree();
  const text = files.find(({ path }) => path === '.oxlintrc.json')?.text ?? '';
  const { rules, overrides } = lintRules
    .extend({ overrides: z.array(lintRules.extend({ files: z.array(z.string()) })) })
    .parse(JSON.parse(text));
  assert.deepEqual(rules['max-params'], ['error', { max: 4 }]);
  const lines = { max: 70, skipBlankLines: true, skipComments: true };
  assert.deepEqual(rules['max-lines-per-function'], ['error', lines]);
  const exempt = overrides.filter(({ rules: own }) =>
    ['max-params', 'max-lines-per-function'].some((rule) => rule in own),
  );
  assert.deepEqual(
    exempt.flatMap((one) => one.files).filter((one) => !/(^|\/)(test|bench)\/\*\*$/.test(one)),
    [],
  );
  const silenced = sourcesOfTree().filter((file) =>
    /lint-disable.*max-(params|lines)/.test(file.text),
  );
  assert.deepEqual(
    silenced
      .map(({ path }) => path)
      .filter((path) => /^(src|events|projections|ui|extensions)\//.test(path)),
    [],
  );
});

test('no line of code is longer than 100 columns', () => {
  const long = sourcesOfTree()
    .filter(({ path }) => !isData(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => {
        const fits = line.length <= columnsAllowed(line);
        return fits ? [] : [`${path}:${index + 1} has ${line.length}`];
      }),
    );
  assert.deepEqual(long, []);
});

function columnsAllowed(line: string): number {
  const isProse = /^\s*(\/\/|\/?\*)/.test(line) || longText.test(line);
  return isProse ? proseColumnsMax : columnsMax;
}

test('a source file begins with a comment on its purpose', () => {
  const silent = sourcesOfTree()
    .filter(({ text }) => !/^(#!.*\n)?\/\/ \S.{20}/.test(text))
    .map(({ path }) => path);
  assert.deepEqual(silent, []);
});

test('a migration begins with a comment too', () => {
  const silent = filesOfTree()
    .filter(({ path }) => path.endsWith('.sql'))
    .filter(({ text }) => !/^-- \S.{20}/.test(text))
    .map(({ path }) => path);
  assert.deepEqual(silent, []);
});

const filesMax = 30;

/** Folders that people edit. Recorded data may have any number of files. */
const isListed = (path: string): boolean =>
  /^(src|events|projections|ui|extensions|test|scripts)\//.test(path) &&
  !path.startsWith('test/fixtures/');

test('no folder has more than 30 files side by side', () => {
  const folders = Map.groupBy(
    filesOfTree().filter(({ path }) => isListed(path)),
    ({ path }) => path.slice(0, path.lastIndexOf('/')),
  );
  const crowded = [...folders].filter(([, files]) => files.length > filesMax);
  assert.deepEqual(
    crowded.map(([folder, files]) => `${folder} has ${files.length}`),
    [],
  );
});
