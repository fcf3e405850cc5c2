// The command that ends a rotation of the encryption key (specification, "Commands of the binary").

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { reportRefusals, reportingFailure } from '../failure.ts';
import { givenFlags, settingOptions } from '../options.ts';
import { readSettings } from '../settings.ts';

export class ReencryptBackendsCommand extends Command {
  static override paths = [['reencrypt-backends']];
  static override usage = Command.Usage({
    description: 'seal every stored secret anew with GW_ENCRYPTION_KEY',
    details: `
      Needs --database-url (GW_DATABASE_URL), GW_ENCRYPTION_KEY, and the key before as
      GW_ENCRYPTION_KEY_PREVIOUS, which can be dropped afterwards. It may be interrupted and run
      again. Exits 1 when something could not be opened.
    `,
    examples: [['After every process has both keys', '$0 reencrypt-backends']],
  });

  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

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
      const { resealVault } = await import('../../control/reseal.ts');
      const { withControlPlane } = await import('../offline-plane.ts');
      const { keyId: keyIdOf } = await import('../../db/vault.ts');
      const keyId = keyIdOf(Buffer.from(encryptionKey, 'hex'));
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const report = await withControlPlane(opening, (plane) =>
        resealVault({ plane, keyId, newId: randomUUID }),
      );
      if (isRefusal(report)) return reportRefusals(stderr, [report]);
      const { resealed, unreadable } = report;
      for (const ref of unreadable) warn(`vault item ${ref} could not be opened`);
      const text = `${resealed} items sealed anew with key ${keyId}, ${unreadable.length} unreadable`;
      stdout.write(`${this.json ? JSON.stringify({ key_id: keyId, ...report }) : text}\n`);
      return unreadable.length === 0 ? exitCodes.ok : exitCodes.failed;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

const needs = (what: string): Refusal => refuse('invalid', `reencrypt-backends needs ${what}`);
