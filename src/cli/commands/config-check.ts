// The command that says what is wrong with a configuration file, and what of it nobody does, each with its line.

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import { readConfigText } from '../config-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { reportRefusals, reportingFailure } from '../failure.ts';

export class ConfigCheckCommand extends Command {
  static override paths = [['config', 'check']];
  static override usage = Command.Usage({
    description: 'say what is wrong with a configuration file, and what of it is not done',
    details: `
      Reads the file as a proxy in File mode would, with the variables of this environment, and
      names every error and warning with its line. Exits 0 when the file can be served, warnings
      or not, and 1 when it cannot.
    `,
    examples: [['Check a file', '$0 config check --config gw.yaml']],
  });

  config = Option.String('-c,--config', { description: 'the configuration file (GW_CONFIG)' });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const path = this.config ?? env['GW_CONFIG'] ?? '';
      if (path === '') return reportRefusals(stderr, [refuse('invalid', noFile)]);
      const source = readConfigText(path);
      if (isRefusal(source)) return reportRefusals(stderr, [source]);
      // Loaded here, because the format is much to load for a program that only shows its help.
      const { checkConfigFile } = await import('../../snapshot/file-mode.ts');
      const { issueText } = await import('../../snapshot/file/source.ts');
      const { file, errors, warnings } = checkConfigFile(source, env, {
        masterKey: env['GW_MASTER_KEY'] ?? null,
        open: env['GW_OPEN'] === 'true',
      });
      const lines = [
        ...errors.map((error) => `error: ${issueText(error)}`),
        ...warnings.map((warning) => `warning: ${issueText(warning)}`),
        `${path}: ${errors.length} errors, ${warnings.length} warnings`,
      ];
      stdout.write(`${this.json ? JSON.stringify({ errors, warnings }) : lines.join('\n')}\n`);
      return file === null ? exitCodes.failed : exitCodes.ok;
    });
  }
}

const noFile = 'config check needs --config';
