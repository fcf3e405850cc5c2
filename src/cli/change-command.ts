// What the commands on change requests do alike: they log in at the admin listener as the person that they are for, since who drafts and
// who approves is what counts, and print text or JSON.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { loginToAdmin } from './admin-client.ts';
import type { AdminClient } from './admin-client.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { reportRefusals, reportingFailure } from './failure.ts';
import { givenFlags, settingOptions } from './options.ts';
import { readPassword } from './password-input.ts';
import { readSettings } from './settings.ts';

export type Said = Readonly<{ json: unknown; text: string }>;

export abstract class ChangeCommand extends Command {
  login = Option.String('--login', { description: 'the name that you log in with' });
  password = Option.String('--password', {
    description: 'your password, visible to others in the process list; - reads standard input',
  });
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions(['controlUrl']));
  }

  protected abstract ask(admin: AdminClient): Promise<Said | Refusal>;

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdin, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { controlUrl } = read.settings;
      if (controlUrl === null) return reportRefusals(stderr, [this.#needs('--control-url')]);
      if (this.login === undefined) return reportRefusals(stderr, [this.#needs('--login')]);
      const password = await readPassword({ option: this.password, env, stdin, stderr });
      if (isRefusal(password)) return reportRefusals(stderr, [password]);
      const url = controlUrl.replace(/\/$/, '');
      const said = await this.ask(await loginToAdmin(url, { name: this.login, password }));
      if (isRefusal(said)) return reportRefusals(stderr, [said]);
      stdout.write(`${this.json ? JSON.stringify(said.json) : said.text}\n`);
      return exitCodes.ok;
    });
  }

  #needs(what: string): Refusal {
    return refuse('invalid', `${this.path.join(' ')} needs ${what}`);
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
