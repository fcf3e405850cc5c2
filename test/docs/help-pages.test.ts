// Checks that each screen has a documentation page, and that the page exists.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { slugOf } from '../../scripts/help/slug.ts';
import { helpPages } from '../../scripts/help/screens.ts';
import { screenNames } from '../ui/harness/screen-names.ts';

const docs = path.join(import.meta.dirname, '../../docs');

it('every screen has a help page, and no page is for a screen that does not exist', () => {
  assert.deepEqual(Object.keys(helpPages).toSorted(), screenNames());
});

for (const [screen, page] of Object.entries(helpPages)) {
  it(`the help page of ${screen} exists: ${page}`, () => {
    const [file = '', anchor] = page.split('#');
    const text = readFileSync(path.join(docs, file), 'utf8');
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading));
    assert.ok(anchor === undefined || headings.includes(anchor), `${page} has no such heading`);
  });
}
