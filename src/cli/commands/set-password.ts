// The command that makes the first login, and resets a lost one (specification, "Commands of the binary").

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readPassword } from '../password-input.ts';
import { readSettings } from '../settings/settings.ts';

export class SetPasswordCommand extends Command {
  static override paths = [['set-password']];
  static override usage = Command.Usage({
    description: 'set the password of a login; make it, as an administrator, if it is absent',
    details: `
      Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY, because names and password
      hashes are sealed in the vault. The password comes from --password, GW_PASSWORD or
      GW_PASSWORD_FILE, or is asked for at a terminal. It has at least 12 characters, and the most
      common passwords are refused.
    `,
    examples: [
      ['Ask for the password', '$0 set-password --name admin'],
      ['Read it from standard input', '$0 set-password --name admin --password -'],
    ],
  });

  name = Option.String('--name', { description: 'name of the principal' });
  password = Option.String('--password', {
    description: 'the password, visible to others in the process list; - reads standard input',
  });
  breakGlass = Option.String('--break-glass', {
    description: 'why it is done although the change policy asks for an approval',
  });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions(['databaseUrl']));
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdin, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { databaseUrl, encryptionKey, encryptionKeyPrevious } = read.settings;
      if (databaseUrl === null) return reportRefusals(stderr, [needs('--database-url')]);
      if (encryptionKey === null) return reportRefusals(stderr, [needs('GW_ENCRYPTION_KEY')]);

      if (this.name === undefined) return reportRefusals(stderr, [needs('--name')]);

      const password = await readPassword({ option: this.password, env, stdin, stderr });
      if (isRefusal(password)) return reportRefusals(stderr, [password]);
      const warn = (message: string): void => void stderr.write(`gw: warning: ${message}\n`);
      // Loaded here, because the control plane is much to load for a program that only shows its help.
      const { setLoginIn } = await import('../control-plane/login-principal.ts');
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const { name, breakGlass } = this;
      const set = await setLoginIn(opening, { name, password, breakGlass });
      if (isRefusal(set)) return reportRefusals(stderr, [set]);
      const { id, created, roleGranted, adminMended } = set;
      const done = ['password set'];
      if (created) done.push('principal created');
      if (adminMended) done.push('role admin mended, since no role could write the configuration');
      if (roleGranted !== null) done.push(`role ${roleGranted} granted`);
      const facts = { id, created, role_granted: roleGranted, admin_mended: adminMended };
      const answer = JSON.stringify(facts);
      stdout.write(`${this.json ? answer : `${this.name}: ${done.join(', ')}`}\n`);
      return exitCodes.ok;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

const needs = (what: string) => refuse('invalid', `set-password needs ${what}`);
