// The screens that are in the build, by their files.

import { globSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(import.meta.dirname, '../../../ui/screens');

export const screenNames = (): readonly string[] =>
  globSync('*.ts', { cwd: folder })
    .map((file) => path.basename(file, '.ts'))
    .toSorted();
