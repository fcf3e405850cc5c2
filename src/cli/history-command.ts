// What the commands that read the history do alike: they open the control plane, read, and print text or JSON.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import { momentField } from '../control/history/moment.ts';
import type { Moment } from '../control/history/moment.ts';
import type { ControlPlane } from '../control/plane.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { reportRefusals, reportingFailure } from './failure.ts';
import { givenFlags, settingOptions } from './options.ts';
import { readSettings } from './settings.ts';

/** `json` is what --json prints. The code is `ok` when absent. */
export type Printed = Readonly<{ json: unknown; text: string; code?: ExitCode }>;

export abstract class HistoryCommand extends Command {
  json = Option.Boolean('--json', false, { description: 'print the result as JSON' });

  constructor() {
    super();
    Object.assign(this, settingOptions(['databaseUrl']));
  }

  protected abstract read(plane: ControlPlane): Promise<Printed | Refusal>;

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stdout, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { databaseUrl, encryptionKey, encryptionKeyPrevious } = read.settings;
      if (databaseUrl === null) return reportRefusals(stderr, [this.needs('--database-url')]);
      if (encryptionKey === null) return reportRefusals(stderr, [this.needs('GW_ENCRYPTION_KEY')]);
      const warn = (message: string): void => void stderr.write(`gw: warning: ${message}\n`);
      // Loaded here, because the control plane is much to load for a program that only shows its help.
      const { withControlPlane } = await import('./offline-plane.ts');
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const printed = await withControlPlane(opening, (plane) => this.read(plane));
      if (isRefusal(printed)) return reportRefusals(stderr, [printed]);
      stdout.write(`${this.json ? JSON.stringify(printed.json) : printed.text}\n`);
      return printed.code ?? exitCodes.ok;
    });
  }

  private needs(what: string): Refusal {
    return refuse('invalid', `${this.path.join(' ')} needs ${what}`);
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

export function readMoment(given: string, named: string): Moment | Refusal {
  const read = momentField.safeParse(given);
  if (read.success) return read.data;
  const message = `${named} ${read.error.issues[0]?.message ?? ''}, was ${JSON.stringify(given)}`;
  return refuse('invalid', message);
}

const rowsMax = 1_000;

export function readLimit(given: string): number | Refusal {
  const limit = /^[1-9]\d{0,3}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= rowsMax) return limit;
  const message = `--limit must be a whole number of 1 to ${rowsMax}, was ${JSON.stringify(given)}`;
  return refuse('invalid', message);
}
