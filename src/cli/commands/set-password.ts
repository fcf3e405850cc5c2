// Defines `gw set-password`, which creates the first login and resets lost passwords (specification, "Commands of the binary").

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
    description: 'set the password of a login, or create it as an administrator',
    details: `
      The password comes from --password, GW_PASSWORD or GW_PASSWORD_FILE, or from a prompt. It must
      have at least 12 characters and must not be a common one. Needs --name, --database-url
      (GW_DATABASE_URL) and GW_ENCRYPTION_KEY, because the vault holds names and password hashes.
    `,
    examples: [
      ['Prompt for the password', '$0 set-password --name admin'],
      ['Read the password from standard input', '$0 set-password --name admin --password -'],
      ['Create the first login in a script', '$0 set-password --name admin --if-absent'],
    ],
  });

  name = Option.String('--name', { description: 'name of the principal; required' });
  password = Option.String('--password', {
    description: 'password, visible in the process list; - reads standard input',
  });
  ifAbsent = Option.Boolean('--if-absent', false, {
    description: 'change nothing if the login has a password',
  });
  breakGlass = Option.String('--break-glass', {
    description: 'reason for skipping the approval that the change policy requires',
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
      const { setLoginIn } = await import('../control-plane/login-principal.ts');
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const { name, breakGlass, ifAbsent } = this;
      const set = await setLoginIn(opening, { name, password, breakGlass, ifAbsent });
      if (isRefusal(set)) return reportRefusals(stderr, [set]);
      const { id, passwordSet, created, roleGranted, adminMended } = set;
      const done = [passwordSet ? 'password set' : 'nothing changed, because it has a password'];
      if (created) done.push('principal created');
      if (adminMended)
        done.push('role admin repaired, because no role could write the configuration');
      if (roleGranted !== null) done.push(`role ${roleGranted} granted`);
      const answer = JSON.stringify({
        id,
        password_set: passwordSet,
        created,
        role_granted: roleGranted,
        admin_mended: adminMended,
      });
      stdout.write(`${this.json ? answer : `${this.name}: ${done.join(', ')}`}\n`);
      return exitCodes.ok;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

const needs = (what: string) => refuse('invalid', `set-password needs ${what}`);
