// Draws the diagrams of the pages into docs/diagrams, and removes drawings that no page uses: `npm run docs:diagrams`.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { chromiumPath } from '../test/ui/harness/chromium.ts';
import { diagramFolder, drawDiagrams } from './help/diagrams.ts';

const drawn = await drawDiagrams(chromiumPath());
rmSync(diagramFolder, { recursive: true, force: true });
mkdirSync(diagramFolder, { recursive: true });
for (const [name, svg] of drawn) writeFileSync(path.join(diagramFolder, name), svg);
