// Writes the reference pages that are made from the program's own tables: `node scripts/generate-reference.ts`. A test holds the
// pages in docs/reference to what this makes.

import { writeFileSync } from 'node:fs';

import { referencePages } from './reference/pages.ts';

for (const { file, text } of referencePages()) writeFileSync(file, text);
