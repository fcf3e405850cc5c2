// Base class of commands that read the log. They need the database but no encryption key, because events hold no secrets.

import { readFileSync } from 'node:fs';

import { Command } from 'clipanion';

import type { Database } from '../../db/pool.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { reportRefusals, reportingFailure } from '../printing/failure.ts';
import { givenFlags, settingOptions } from '../printing/options.ts';
import { readSettings } from '../settings/settings.ts';
import type { SettingValues } from '../settings/settings-table.ts';

type LogSettings = Pick<SettingValues, 'encryptionKey' | 'encryptionKeyPrevious'>;

export abstract class LogCommand extends Command {
  constructor() {
    super();
    Object.assign(this, settingOptions(['databaseUrl']));
  }

  /** `url` is the address of `db`. */
  protected abstract read(
    db: Database,
    url: string,
    settings: LogSettings,
  ): Promise<ExitCode | Refusal>;

  async execute(): Promise<ExitCode> {
    return reportingFailure(this.context, async () => {
      const { env, stderr } = this.context;
      const read = readSettings({ flags: givenFlags(this), env, readFile });
      if ('refusals' in read) return reportRefusals(stderr, read.refusals);
      const { databaseUrl } = read.settings;
      if (databaseUrl === null) {
        const message = `${this.path.join(' ')} needs --database-url`;
        return reportRefusals(stderr, [refuse('invalid', message)]);
      }
      const done = await this.withDatabase(databaseUrl, read.settings);
      return isRefusal(done) ? reportRefusals(stderr, [done]) : done;
    });
  }

  private async withDatabase(url: string, settings: LogSettings): Promise<ExitCode | Refusal> {
    const { openDatabase } = await import('../../db/pool.ts');
    const { namingRights } = await import('../../db/rights.ts');
    const applicationName = `gw ${this.path.join(' ')}`;
    const db = openDatabase({ url, purpose: 'maintenance', applicationName, connectionsMax: 2 });
    try {
      return await namingRights(db, () => this.read(db, url, settings));
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === undefinedTable))
        throw cause;
      const why = 'this database holds no event log, because gw has not run on it yet';
      throw new Error(why, { cause });
    } finally {
      await db.dispose();
    }
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');
const undefinedTable = '42P01';
