// The lines of a file of any length, read as they are asked for.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Opened with the first one: a reader of lines that was opened before would lose what it reads before anybody asks. */
export async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
  yield* createInterface({ input: createReadStream(path) });
}
