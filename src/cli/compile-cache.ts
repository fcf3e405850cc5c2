// Where the compiled form of the program's files is kept: compiling all of them is half of the time that a short command takes.

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/**
 * To be called before the files are imported that it is for. It lies beside the code, so that whoever could change it could change the
 * code itself; where it cannot be written, nothing is kept.
 */
export const keepCompiled = (): void =>
  void enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/gw'));
