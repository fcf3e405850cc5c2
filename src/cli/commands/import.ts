// Defines `gw import`, which seeds a control plane from a configuration file (specification, "Commands of the binary").

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import type { ImportReport } from '../../control/files/import.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';

export class ImportCommand extends Command {
  static override paths = [['import']];
  static override usage = Command.Usage({
    description: 'import a configuration file into a control plane',
    details: `
      Creates or updates the providers, models, keys and records that the file names and leaves
      others unchanged. Grants that the file no longer lists are revoked. Up to 1,000 changes are
      one transaction. If a larger import fails midway, it reports how much was applied; run it
      again to apply the rest. The command calls no provider and prints no keys. Needs --config,
      --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      ['Import a file', '$0 import --config gw.yaml'],
      ['Show what would change', '$0 import --config gw.yaml --dry-run'],
    ],
  });

  dryRun = Option.Boolean('--dry-run', false, {
    description: 'print what would change and change nothing',
  });
  breakGlass = Option.String('--break-glass', {
    description: 'reason for skipping the approval that the change policy requires',
  });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions(['config', 'databaseUrl', 'skipUnsupported']));
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { config, databaseUrl, skipUnsupported } = read.settings;
      const { encryptionKey, encryptionKeyPrevious } = read.settings;
      if (config === null) return reportRefusals(stderr, [needs('--config')]);
      if (databaseUrl === null) return reportRefusals(stderr, [needs('--database-url')]);
      if (encryptionKey === null) return reportRefusals(stderr, [needs('GW_ENCRYPTION_KEY')]);
      const { readConfigFiles } = await import('../../gateway/config/config-files.ts');
      const files = await readConfigFiles(config, env);
      if (isRefusal(files)) return reportRefusals(stderr, [files]);
      const warn = (message: string): void => void stderr.write(`gw: warning: ${message}\n`);
      const { importConfig } = await import('../../control/files/import.ts');
      const { withControlPlane } = await import('../control-plane/offline-plane.ts');
      const { dryRun, breakGlass } = this;
      const { source } = files;
      const given = { source, environment: env, skipUnsupported, dryRun, breakGlass };
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const report = await withControlPlane(opening, (plane) =>
        importConfig({ plane, newId: randomUUID }, given),
      );
      if (!('changes' in report)) return reportRefusals(stderr, report);
      for (const warning of report.warnings) warn(warning);
      stdout.write(this.json ? `${JSON.stringify(report)}\n` : this.#toText(config, report));
      return exitCodes.ok;
    });
  }

  #toText(config: string, { models, keys, changes, version }: ImportReport): string {
    const held = `${config}: ${models} models, ${keys} keys`;
    const lines = this.dryRun ? changes.map((change) => `${change}\n`).join('') : '';
    if (changes.length === 0) return `${held}; nothing to change, snapshot version ${version}\n`;
    if (this.dryRun) return `${lines}${held}; ${changes.length} changes would be made\n`;
    return `${held}; ${changes.length} changes made, snapshot version ${version}\n`;
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

const needs = (what: string): Refusal => refuse('invalid', `import needs ${what}`);
