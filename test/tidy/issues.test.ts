// Tests that validation errors are in plain words: no file uses zod's own messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sourcesOfTree } from './tree.ts';

/** Takes the error of a parse by its callers. */
const taken = new Set(['src/snapshot/file/zod-issues.ts', 'src/lib/plain-issue.ts']);

test('a file that reads the issues of a schema translates them', () => {
  const raw = sourcesOfTree()
    .filter(({ path }) => /^(src|extensions)\//.test(path) && !taken.has(path))
    .filter(({ text }) => /\.issues\b|issues \} = |\b(zodIssues|problemText|ruleText)\(/.test(text))
    .filter(({ text }) => !/safeParse\([^;]*\bplainly\b/.test(text))
    .map(({ path }) => path);
  assert.deepEqual(raw, []);
});
