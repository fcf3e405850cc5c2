// The command that checks the event log: its hash chain, and everything derived from it against a rebuild.

import { readFileSync } from 'node:fs';

import { Command, Option } from 'clipanion';

import type { LogCheck } from '../../control/verify-log.ts';
import { refuse } from '../../lib/refusal.ts';
import { exitCodes } from '../exit-codes.ts';
import type { ExitCode } from '../exit-codes.ts';
import { reportRefusals, reportingFailure } from '../failure.ts';
import { givenFlags, settingOptions } from '../options.ts';
import { readSettings } from '../settings.ts';

export class LogVerifyCommand extends Command {
  static override paths = [['log', 'verify']];
  static override usage = Command.Usage({
    description: 'check the event log and all that is derived from it',
    details: `
      Reads every event, checks the digests and the hash chain up to the head, rebuilds the read
      models beside the live ones and compares them, the hash of each snapshot version included.
      Changes nothing. Exits 10 when something differs, naming the position. Needs --database-url
      (GW_DATABASE_URL), and no encryption key.
    `,
    examples: [['Check the log', '$0 log verify']],
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
      const { databaseUrl } = read.settings;
      if (databaseUrl === null) {
        return reportRefusals(stderr, [refuse('invalid', 'log verify needs --database-url')]);
      }
      const check = await verify(databaseUrl);
      stdout.write(`${this.json ? JSON.stringify(check) : toText(check)}\n`);
      return check.problems.length === 0 ? exitCodes.ok : exitCodes.differences;
    });
  }
}

const readFile = (path: string): string => readFileSync(path, 'utf8');

/** Loaded here, because the control plane is much to load for a program that only shows its help. */
async function verify(databaseUrl: string): Promise<LogCheck> {
  const { verifyLog } = await import('../../control/verify-log.ts');
  const { openDatabase } = await import('../../db/pool.ts');
  const db = openDatabase({
    url: databaseUrl,
    purpose: 'maintenance',
    applicationName: 'gw log verify',
    connectionsMax: 1,
  });
  try {
    return await verifyLog(db);
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === undefinedTable)) throw cause;
    throw new Error('this database holds no event log; no gw has run on it yet', { cause });
  } finally {
    await db.dispose();
  }
}

const undefinedTable = '42P01';

function toText({ events, head, tables, problems }: LogCheck): string {
  const log = `${events} events, head ${head.hash}`;
  if (problems.length === 0) return `${log}\nthe chain holds, and ${tables} tables equal a rebuild`;
  const lines = problems.map(({ position, problem }) =>
    position === null ? problem : `position ${position}: ${problem}`,
  );
  return [log, ...lines].join('\n');
}
