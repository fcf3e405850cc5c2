// Checks that every link between pages leads to a file that exists, and to a heading that exists. Checks that every page that code,
// comments and pages name exists.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { slugOf } from '../../scripts/help/slug.ts';
import { filesOfTree, root } from '../tidy/tree.ts';

const pages = filesOfTree().filter(({ path: file }) =>
  /^[^/]+\.md$|^(docs|bench)\/.*\.md$/.test(file),
);

const withoutCode = (text: string): string =>
  text.replaceAll(/^(```|~~~).*?^\1$/gms, '').replaceAll(/`[^`\n]*`/g, '');

function headingsOf(file: string): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8').replaceAll(/^(```|~~~).*?^\1$/gms, '');
  const slugs = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    let unique = slug;
    for (let count = 1; slugs.has(unique); count += 1) unique = `${slug}-${count}`;
    slugs.add(unique);
  }
  return slugs;
}

function problemOf(page: string, address: string): string | null {
  const [name = '', anchor] = address.split('#');
  const file = name === '' ? path.join(root, page) : path.join(root, path.dirname(page), name);
  if (!existsSync(file)) return `${page}: ${address} does not exist`;
  if (anchor === undefined || !file.endsWith('.md') || headingsOf(file).has(anchor)) return null;
  return `${page}: ${address} names a heading that does not exist`;
}

describe('links between pages', () => {
  for (const { path: page, text } of pages) {
    const addresses = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, address = '']) => address)
      .filter((address) => !/^[a-z]+:/.test(address));
    if (addresses.length === 0) continue;
    it(`lead somewhere in ${page}`, () => {
      const problems = addresses.map((address) => problemOf(page, address));
      assert.deepEqual(
        problems.filter((problem) => problem !== null),
        [],
      );
    });
  }
});

it('every page that a file names exists', () => {
  const problems = filesOfTree()
    .filter(({ path: file }) => !file.startsWith('test/fixtures/'))
    .flatMap(({ path: file, text }) =>
      [...text.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md\b/g)]
        .filter(([page]) => page !== 'docs/x.md' && !existsSync(path.join(root, page)))
        .map(([page]) => `${file}: ${page}`),
    );
  assert.deepEqual(problems, []);
});
