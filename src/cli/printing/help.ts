// Formats the overview of all commands and the help of each command.

import { Writable } from 'node:stream';

import { Command } from 'clipanion';
import type { Cli, Definition } from 'clipanion';

export class HelpCommand extends Command {
  static override paths = [['-h'], ['--help'], ['help']];

  execute(): Promise<void> {
    this.context.stdout.write(overview(this.cli));
    return Promise.resolve();
  }
}

type Described = Pick<Cli, 'definitions' | 'binaryVersion'>;

/** Without the program name; `serve` for the default command. */
export const commandName = ({ path }: Pick<Definition, 'path'>): string =>
  path.replace(/^gw ?/, '') || 'serve';

function overview(cli: Described): string {
  const names = cli.definitions().map(commandName);
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

/** clipanion writes `#0` for the value of an option. The longer name keeps the columns aligned. */
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
