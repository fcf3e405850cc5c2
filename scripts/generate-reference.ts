// Generates the reference pages from tables of the program: `node scripts/generate-reference.ts`. A test checks that docs/reference is
// current.

import { writeFileSync } from 'node:fs';

import { referencePages } from './reference/pages.ts';

for (const { file, text } of referencePages()) writeFileSync(file, text);
