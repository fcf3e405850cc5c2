// Decides what help and usage errors look like.

import { Writable } from 'node:stream';

import { Command } from 'clipanion';
import type { Cli } from 'clipanion';

import { nearest } from './nearest.ts';

export class HelpCommand extends Command {
  static override paths = [['-h'], ['--help'], ['help']];

  execute(): Promise<void> {
    this.context.stdout.write(overview(this.cli));
    return Promise.resolve();
  }
}

type Described = Pick<Cli, 'definitions' | 'binaryVersion'>;

/** The path of a definition starts with the program's name; that of the default command is nothing more. */
function commandNames(cli: Pick<Cli, 'definitions'>): readonly string[] {
  return cli.definitions().map(({ path }) => path.replace(/^gw ?/, '') || 'serve');
}

function overview(cli: Described): string {
  const names = commandNames(cli);
  const width = Math.max(...names.map((name) => name.length));
  const lines = cli
    .definitions()
    .map(({ description }, index) =>
      `  ${(names[index] ?? '').padEnd(width)}  ${description ?? ''}`.trimEnd(),
    );
  return [
    `gw ${cli.binaryVersion ?? ''}, an LLM inference gateway with a control plane`,
    '',
    'Usage: gw <command> [options]',
    '',
    'Commands (without one, gw serves):',
    ...lines,
    '',
    'gw <command> --help shows its options.',
    '',
  ].join('\n');
}

/** The library writes `#0` for the value of an option; the longer name keeps its columns. */
export function namingValues(output: Writable): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      output.write(String(chunk).split('\n').map(nameValue).join('\n'), done);
    },
  });
}

const valueName = '<value>';

function nameValue(line: string): string {
  if (line.includes('#0')) return line.replaceAll('#0', valueName);
  return line.replace(/^( {2}-\S+)(?= {4})/, `$1${' '.repeat(valueName.length - '#0'.length)}`);
}

const misspeltDistanceMax = 3;

/** The first line says what was wrong; the list of every usage, which the library adds, helps nobody. */
export function usageError(
  cli: Pick<Cli, 'definitions'>,
  argv: readonly string[],
  error: unknown,
): string {
  // The list that would follow is cut off with the rest.
  const [firstLine = ''] = error instanceof Error ? error.message.split('\n', 1) : [];
  const message = firstLine.replace(/; did you mean(?: one of)?:?$/, '');
  const words = argv.filter((argument) => !argument.startsWith('-')).slice(0, 2);
  const options = cli.definitions().flatMap((definition) => definition.options);
  const flags = options.flatMap(({ definition }) => definition.split(/[ ,]/));
  const wrongFlag = /option name \("(-[^"]*)"\)/.exec(message)?.[1];
  const near =
    wrongFlag === undefined
      ? nearestCommand(words, commandNames(cli))
      : nearest(wrongFlag, flags, { distanceMax: misspeltDistanceMax });
  const hint = near === null || near === words.join(' ') ? '' : `; did you mean ${near}?`;
  const what = message.replace(/[.:]$/, '').replace(/^./, (letter) => letter.toLowerCase());
  return `gw: ${what}${hint}\ngw --help lists the commands\n`;
}

/** The beginning of a command means that command; of words that are none, the first alone may be meant. */
function nearestCommand(words: readonly string[], names: readonly string[]): string | null {
  const typed = words.join(' ');
  if (typed === '') return null;
  return (
    names.find((name) => name.startsWith(`${typed} `)) ??
    nearest(typed, names, { distanceMax: misspeltDistanceMax }) ??
    nearest(words[0] ?? '', names, { distanceMax: misspeltDistanceMax })
  );
}
