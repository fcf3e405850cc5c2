// Lists the screens of the build by their files.

import { globSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../../..');

export const screenNames = (): readonly string[] =>
  globSync(['ui/screens/*.ts', 'extensions/*/ui/screens/*.ts'], { cwd: root })
    .map((file) => path.basename(file, '.ts'))
    .toSorted();
