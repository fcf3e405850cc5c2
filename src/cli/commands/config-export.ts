// The command that writes the configuration of a control plane as a configuration file.

import { readFileSync } from 'node:fs';

import { Command } from 'clipanion';

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { reportRefusals, reportingFailure } from '../failure.ts';
import { givenFlags, settingOptions } from '../options.ts';
import { readSettings } from '../settings.ts';

export class ConfigExportCommand extends Command {
  static override paths = [['config', 'export']];
  static override usage = Command.Usage({
    description: 'write the configuration of a control plane as a configuration file',
    details: `
      Writes to standard output what a proxy serves in File mode and import takes back. It holds no
      credential, only os.environ/ names for them, and of each key its SHA-256. Needs
      --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [['Export', '$0 config export > gw.yaml']],
  });

  constructor() {
    super();
    Object.assign(this, settingOptions(['databaseUrl']));
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { databaseUrl, encryptionKey, encryptionKeyPrevious } = read.settings;
      if (databaseUrl === null) return reportRefusals(stderr, [needs('--database-url')]);
      if (encryptionKey === null) return reportRefusals(stderr, [needs('GW_ENCRYPTION_KEY')]);
      const warn = (message: string): void => void stderr.write(`gw: warning: ${message}\n`);
      // Loaded here, because the control plane is much to load for a program that only shows its help.
      const { exportConfig } = await import('../../control/export.ts');
      const { withControlPlane } = await import('../offline-plane.ts');
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const { text, warnings } = await withControlPlane(opening, exportConfig);
      for (const warning of warnings) warn(`left out: ${warning}`);
      stdout.write(text);
      return exitCodes.ok;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

const needs = (what: string): Refusal => refuse('invalid', `config export needs ${what}`);
