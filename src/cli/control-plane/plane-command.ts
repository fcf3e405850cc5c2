// Base class of commands that open the control plane. They need its database and the encryption key.

import { readFileSync } from 'node:fs';

import { Command } from 'clipanion';

import type { ControlPlane } from '../../control/plane.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';
import type { Settings } from '../settings/settings.ts';

export abstract class PlaneCommand extends Command {
  constructor() {
    super();
    Object.assign(this, settingOptions(['databaseUrl']));
  }

  /** `encryptionKey` is 64 hex digits. */
  protected abstract work(
    plane: ControlPlane,
    encryptionKey: string,
    settings: Settings,
  ): Promise<ExitCode | Refusal>;

  protected warn(message: string): void {
    this.context.stderr.write(`gw: warning: ${message}\n`);
  }

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { databaseUrl, encryptionKey, encryptionKeyPrevious } = read.settings;
      if (databaseUrl === null) return reportRefusals(stderr, [this.#needs('--database-url')]);
      if (encryptionKey === null) return reportRefusals(stderr, [this.#needs('GW_ENCRYPTION_KEY')]);
      const { withControlPlane } = await import('./offline-plane.ts');
      const warn = (message: string): void => this.warn(message);
      const opening = { databaseUrl, encryptionKey, encryptionKeyPrevious, warn };
      const done = await withControlPlane(opening, (plane) =>
        this.work(plane, encryptionKey, read.settings),
      );
      return isRefusal(done) ? reportRefusals(stderr, [done]) : done;
    });
  }

  #needs(what: string): Refusal {
    return refuse('invalid', `${this.path.join(' ')} needs ${what}`);
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
