// Says which program the tests start: this checkout, or the single executable that GW_TEST_EXECUTABLE names.

import path from 'node:path';

const executable = process.env['GW_TEST_EXECUTABLE'] ?? '';
const main = path.join(import.meta.dirname, '../../../src/main.ts');

/** A program and its first arguments. `file` is the main file of another release. */
export function programCommand(file?: string): readonly [string, ...string[]] {
  if (file === undefined && executable !== '') return [executable];
  return [process.execPath, file ?? main];
}
