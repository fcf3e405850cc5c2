// Reads the lines of a file of any length on demand.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Opens the file at the first read, because readline loses lines that it reads before iteration starts. */
export async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  yield* createInterface({ input: createReadStream(path) });
}
