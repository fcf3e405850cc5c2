// Runs the standalone verifier within this process. Starting a process costs a hundred times as
// much as checking a short log.

import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import type { ReadStream } from 'node:fs';
import { runInThisContext } from 'node:vm';

import { verifier } from './signed-log.ts';

/** Ends the verifier in place of `process.exit`. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const exit = (code: number): never => {
  throw new Exit(code);
};

const verifierText = readFileSync(verifier, 'utf8');
const imported = [...verifierText.matchAll(/^import \{ (.*) \} from '(.*)';$/gm)].map(
  ([, names = '', module = '']) => ({ names: names.split(', '), module }),
);
const body = verifierText.replaceAll(/^import .*\n/gm, '');
const parameters = ['process', ...imported.flatMap(({ names }) => names)];
const verifierFunction: unknown = runInThisContext(
  `(async (${parameters.join(', ')}) => {\n${body}\n})`,
);
const modules = new Map<string, object>(
  await Promise.all(
    imported.map(async ({ module }) => [module, Object(await import(module))] as const),
  ),
);

/** The same text, with placeholders for what depends on the process. */
export async function verifyInProcess(...parameters: readonly string[]) {
  assert.ok(typeof verifierFunction === 'function');
  const opened: ReadStream[] = [];
  const pieces: string[] = [];
  const handlers: ((error: unknown) => void)[] = [];
  const once = (_name: string, handler: (error: unknown) => void): void =>
    void handlers.push(handler);
  const stdout = { write: (text: string) => pieces.push(text) };
  const opening = (file: string): ReadStream => {
    const stream = createReadStream(file);
    opened.push(stream);
    return stream;
  };
  const values = imported.flatMap(({ names, module }) =>
    names.map((name): unknown =>
      name === 'createReadStream' ? opening : Reflect.get(modules.get(module) ?? {}, name),
    ),
  );
  const run = async (work: () => unknown): Promise<number> => {
    try {
      await work();
      return 0;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      const handler = handlers.pop();
      assert.ok(handler !== undefined, String(error));
      return run(() => handler(error));
    }
  };
  const own = { argv: ['node', verifier, ...parameters], stdout, exit, once };
  const code = await run((): unknown => Reflect.apply(verifierFunction, null, [own, ...values]));
  for (const stream of opened) stream.destroy();
  return { code, stdout: pieces.join('') };
}
