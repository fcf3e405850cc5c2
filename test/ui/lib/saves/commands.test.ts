// Holds that every command of the program that the pages name is one: the program's own parser takes it as it stands there.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { commandLine } from '../../../../src/cli/main.ts';
import { gwCommand } from '../../../../ui/lib/saves/copy-as.ts';

const folder = path.join(import.meta.dirname, '../../../../ui');

/** In an attribute, in `<code>` or in a template, up to what ends it. */
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

/** What the parser has against it; null is nothing. */
function refusalOf(command: string): string | null {
  try {
    const words = wordsOf(command);
    commandLine(false).process(words, {});
    // A file or a database has no place of its own: only what runs the command asks for it.
    return words[0] === 'import' && !words.includes('--config') ? 'import needs --config' : null;
  } catch (error) {
    return String(error);
  }
}

it('every command that a page names is one that the program takes', () => {
  const wrong = named.flatMap(({ file, command }) => {
    const refusal = refusalOf(command);
    return refusal === null ? [] : [`${file}: gw ${command}: ${refusal}`];
  });
  assert.deepEqual(wrong, []);
  assert.ok(named.length > 8, `only ${named.length} were found`);
});

it('so is the command as which a change is copied', () => {
  const copied = gwCommand({ method: 'POST', path: '/admin/roles', body: { name: 'readers' } });
  assert.equal(refusalOf(copied?.split('\ngw ').at(-1) ?? ''), null);
});

it('what no command is is told from one', () => {
  for (const command of ['import config.yaml', 'import', 'history changes', 'sync-prices --try']) {
    assert.notEqual(refusalOf(command), null, command);
  }
});
