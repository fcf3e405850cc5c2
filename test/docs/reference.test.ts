// The generated pages of the reference say what the program's tables say.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { referencePages } from '../../scripts/reference/pages.ts';

describe('the reference', () => {
  for (const { file, text } of referencePages()) {
    it(`holds in ${path.basename(file)} what node scripts/generate-reference.ts makes`, () => {
      assert.equal(readFileSync(file, 'utf8'), text);
    });
  }
});
