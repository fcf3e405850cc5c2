// Checks that the generated pages are up to date.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { referencePages } from '../../scripts/reference/pages.ts';

describe('the reference', () => {
  for (const { file, text } of referencePages()) {
    it(`${path.basename(file)} is what node scripts/generate-reference.ts writes`, () => {
      assert.equal(readFileSync(file, 'utf8'), text);
    });
  }
});
