// Tests that text for people is plain English (docs/STYLE.md).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bans, hardToRead } from './prose.ts';
import { filesOfTree } from './tree.ts';

const isRead = (file: string): boolean =>
  /\.(ts|mjs|md)$/.test(file) && !/^test\/(tidy\/prose|fixtures\/)/.test(file);

test('comments, messages and pages are plain English', () => {
  const found = filesOfTree()
    .filter(({ path }) => isRead(path))
    .flatMap(hardToRead);
  assert.deepEqual(found, []);
});

const broken = [
  '// built anew for whoever asks',
  '// kept beside the log',
  '// what lies behind it',
  '// it is no rule',
  '// so many at once',
  '// it stands for the end',
  '// the log is had',
  '// changed meanwhile by nobody',
  '// Of a header: nothing ends it',
  '// What clients call with',
] as const;

for (const text of broken) {
  test(`finds what is hard to read in ${JSON.stringify(text)}`, () => {
    assert.notDeepEqual(hardToRead({ path: 'src/x.ts', text }), []);
  });
}

const fine = [
  '// The replica is two versions behind the log.',
  '// gw runs behind a proxy that ends TLS.',
  '// There is no such rule, and it is no longer read.',
  '// As soon as the lock is acquired, the writer starts.',
  'const name = `what ${name}`;',
] as const;

for (const text of fine) {
  test(`accepts plain English: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(hardToRead({ path: 'src/x.ts', text }), []);
  });
}

test('finds a sentence of a page that is too long, and none in its code', () => {
  const long = 'word '.repeat(31);
  assert.equal(hardToRead({ path: 'docs/x.md', text: `${long}\n` }).length, 1);
  assert.deepEqual(hardToRead({ path: 'docs/x.md', text: `\`\`\`\n${long}\n\`\`\`\n` }), []);
});

test('names a plainer form for each phrase', () => {
  assert.deepEqual(
    bans.filter(({ instead }) => instead === ''),
    [],
  );
});
