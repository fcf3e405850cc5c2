// Base class of commands that call the admin API and print text or JSON. They use a login or an
// admin token, because the API records who acts.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { adminWithToken, loginToAdmin } from './admin-client.ts';
import type { AdminClient } from './admin-client.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readPassword } from '../password-input.ts';
import { secretVariable } from '../settings/secret-variable.ts';
import { readSettings } from '../settings/settings.ts';

/** `exit` defaults to 0. */
export type CommandOutput = Readonly<{ json: unknown; text: string; exit?: ExitCode }>;

export abstract class ChangeCommand extends Command {
  login = Option.String('--login', { description: 'name to log in with' });
  password = Option.String('--password', {
    description: 'password, visible in the process list; - reads standard input',
  });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions(['controlUrl']));
  }

  protected abstract ask(admin: AdminClient): Promise<CommandOutput | Refusal | readonly Refusal[]>;

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { controlUrl } = read.settings;
      if (controlUrl === null) return reportRefusals(stderr, [this.#needs('--control-url')]);
      const admin = await this.#signIn(controlUrl.replace(/\/$/, ''));
      if (isRefusal(admin)) return reportRefusals(stderr, [admin]);
      const output = await this.ask(admin);
      if (isRefusal(output)) return reportRefusals(stderr, [output]);
      if (!('text' in output)) return reportRefusals(stderr, output);
      stdout.write(`${this.json ? JSON.stringify(output.json) : output.text}\n`);
      return output.exit ?? exitCodes.ok;
    });
  }

  /** `--login` takes precedence over the token of the environment, like every flag. */
  async #signIn(url: string): Promise<AdminClient | Refusal> {
    const { env, stdin, stderr } = this.context;
    if (this.login === undefined) {
      const token = secretVariable(env, { variable: 'GW_ADMIN_TOKEN', param: 'token' });
      if (isRefusal(token)) return token;
      return token === null ? this.#needs('--login or GW_ADMIN_TOKEN') : adminWithToken(url, token);
    }
    const password = await readPassword({ option: this.password, env, stdin, stderr });
    return isRefusal(password) ? password : loginToAdmin(url, { name: this.login, password });
  }

  #needs(what: string): Refusal {
    return refuse('invalid', `${this.path.join(' ')} needs ${what}`);
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
