// Tests that every gw command on a page is valid, with the parser of the program itself.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { commandLine } from '../../../../src/cli/main.ts';
import { gwCommand } from '../../../../ui/lib/saves/copy-as.ts';

const folder = path.join(import.meta.dirname, '../../../../ui');

/** Commands are in attributes, in `<code>` or in templates, each with its own end. */
const written = /(?:="|<code\s*>|`)(?:npm run gw --|gw) ([^"<`$]+)["<`]/g;

type Named = Readonly<{ file: string; command: string }>;

const named: readonly Named[] = globSync('!(dist)/**/*.ts', { cwd: folder }).flatMap((file) => {
  const text = readFileSync(path.join(folder, file), 'utf8').replaceAll(
    /^\s*(\/\/|\/?\*).*$/gm,
    '',
  );
  return [...text.matchAll(written)].map(([, command = '']) => ({ file, command }));
});

const wordsOf = (command: string): string[] => command.trim().split(/\s+/);

/** The error of the parser; null if the command is valid. */
function refusalOf(command: string): string | null {
  try {
    const words = wordsOf(command);
    commandLine(false).process(words, {});
    // The command line does not contain a file or a database: they are needed only when the command
    // runs.
    return words[0] === 'import' && !words.includes('--config') ? 'import needs --config' : null;
  } catch (error) {
    return String(error);
  }
}

it('every command on a page is valid', () => {
  const wrong = named.flatMap(({ file, command }) => {
    const refusal = refusalOf(command);
    return refusal === null ? [] : [`${file}: gw ${command}: ${refusal}`];
  });
  assert.deepEqual(wrong, []);
  assert.ok(named.length > 8, `only ${named.length} were found`);
});

it('the command of a copied change is valid', () => {
  const copied = gwCommand({ method: 'POST', path: '/admin/roles', body: { name: 'readers' } });
  assert.equal(refusalOf(copied?.split('\ngw ').at(-1) ?? ''), null);
});

it('distinguishes commands from other text', () => {
  for (const command of ['import config.yaml', 'import', 'history changes', 'sync-prices --try']) {
    assert.notEqual(refusalOf(command), null, command);
  }
});
