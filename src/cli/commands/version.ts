// Defines `gw version`, which says what this program was built from.

import { isSea } from 'node:sea';

import { Command, Option } from 'clipanion';

import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { programVersion, readBuildFacts } from '../version.ts';

export class VersionCommand extends Command {
  static override paths = [['version'], ['-v'], ['--version']];
  static override usage = Command.Usage({
    description: 'show the version',
    details: `
      With --json, prints one line of JSON. It has the version, the commit it was built from (null
      in a checkout) and the runtime. It also lists the name, version and licence of each package
      inside.
    `,
    examples: [
      ['Print the version', '$0 version'],
      ['List the packages inside with their licences', '$0 version --json'],
    ],
  });

  json = Option.Boolean('--json', false, { description: 'print one line of JSON' });

  execute(): Promise<ExitCode> {
    const version = programVersion();
    const runtime = {
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
      single_executable: isSea(),
    };
    const text = this.json ? JSON.stringify({ version, ...readBuildFacts(), runtime }) : version;
    this.context.stdout.write(`${text}\n`);
    return Promise.resolve(exitCodes.ok);
  }
}
