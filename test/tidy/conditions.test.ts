// Tests that a routing condition is defined in one place (CONTRIBUTING.md, "Add a routing
// condition").

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Field } from '../../src/conditions/condition.ts';
import { conditionFields } from '../../src/conditions/table.ts';
import { importsOf, sourcesOfTree } from './tree.ts';

/** A price list of an aggregator has a `min_prompt_tokens` of its own. */
const program = /^(events|projections|src|ui)\/(?!snapshot\/prices\/)/;
const filesMax = 3;

/** The names of a field that have no other meaning, unlike `stream` and `class`. */
const namesOf = ([name, { stored = name }]: readonly [string, Field]): readonly string[] =>
  [...new Set([name, stored])].filter((one) => one.includes('_'));

const camelCase = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

test('the name of a condition field is in at most three files of the program', () => {
  const names = Object.entries<Field>(conditionFields).flatMap(namesOf);
  assert.ok(names.includes('max_inflight_per_backend'));
  const files = sourcesOfTree().filter(({ path }) => program.test(path));
  const spread = names.map((name) => {
    const named = new RegExp(`\\b(${name}|${camelCase(name)})\\b`);
    return { name, files: files.filter(({ text }) => named.test(text)).map(({ path }) => path) };
  });
  assert.deepEqual(
    spread.filter((one) => one.files.length > filesMax || one.files.length === 0),
    [],
  );
});

test('only the table imports the file of a condition, except for forms', () => {
  const parts =
    /\/conditions\/(?!(?:asked|compile|condition|field-types|schemas|table|values)\.ts)/;
  const importing = sourcesOfTree()
    .filter(({ path }) => program.test(path) && !path.startsWith('ui/screens/'))
    .filter((file) => importsOf(file).some((name) => parts.test(name)));
  assert.deepEqual(
    importing.map(({ path }) => path),
    [],
  );
});
