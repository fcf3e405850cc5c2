// Defines `gw config check`, which reports the errors of a configuration file and what gw ignores in it.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../../lib/refusal.ts';
import { exitCodes } from '../../printing/exit-codes.ts';
import type { ExitCode } from '../../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../../printing/failure.ts';
import { givenFlags, settingOptions } from '../../printing/options.ts';
import { readSettings } from '../../settings/settings.ts';

export class ConfigCheckCommand extends Command {
  static override paths = [['config', 'check']];
  static override usage = Command.Usage({
    description: 'check a configuration file and show what gw ignores in it',
    details: `
      Reads the file as a proxy in File mode does, with the variables of this environment, and
      prints every error and warning with its line. Exits 0 if a proxy can serve the file, even
      with warnings, and 1 if not.
    `,
    examples: [['Check a file', '$0 config check --config gw.yaml']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions(['config', 'open', 'skipUnsupported']));
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { config: path } = read.settings;
      if (path === null) return reportRefusals(stderr, [refuse('invalid', noFile)]);
      const { readConfigFiles } = await import('../../../gateway/config/config-files.ts');
      const { checkConfigFile } = await import('../../../snapshot/file-mode.ts');
      const { issueText } = await import('../../../snapshot/file/source.ts');
      const files = await readConfigFiles(path, env);
      if (isRefusal(files)) return reportRefusals(stderr, [files]);
      const { file, errors, warnings } = checkConfigFile(files.source, env, read.settings);
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

const readFile = (path: string): string => readFileSync(path, 'utf8');

const noFile = 'config check needs --config';
