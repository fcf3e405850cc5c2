// The command that writes the event log out, byte by byte as it is hashed, with its checkpoints.

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Option } from 'clipanion';

import type { Database } from '../../db/pool.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { exitCodes } from '../printing/exit-codes.ts';
import type { ExitCode } from '../printing/exit-codes.ts';
import { LogCommand } from '../control-plane/log-command.ts';

export class LogExportCommand extends LogCommand {
  static override paths = [
    ['log', 'export'],
    ['history', 'export'],
  ];
  static override usage = LogCommand.Usage({
    description: 'write the event log out, with its signed checkpoints',
    details: `
      One line of JSON an event, in the order of the log, and a line for each checkpoint.
      Secrets and personal data are not in it. \`gw log verify-export\` and deploy/verify.mjs
      check it, \`gw log replay\` makes a database of it. Needs --database-url
      (GW_DATABASE_URL).
    `,
    examples: [['All of it', '$0 log export -o log.ndjson']],
  });

  from = Option.String('--from', { description: 'from this position on; the first when absent' });
  to = Option.String('--to', { description: 'up to this position; the last when absent' });
  output = Option.String('-o,--output', { description: 'a new file; standard output when absent' });

  protected override async read(db: Database): Promise<ExitCode | Refusal> {
    const from = readPosition(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = readPosition(this.to, '--to');
    if (isRefusal(to)) return to;
    const { exportLog } = await import('../../control/evidence/export.ts');
    const { logRange } = await import('../../control/evidence/log-range.ts');
    const found = await logRange(db, { from, to });
    if (isRefusal(found)) return found;
    const lines = Readable.from(exportLog(db, found.head, found.range));
    const { stdout } = this.context;
    if (this.output === undefined) await pipeline(lines, stdout, { end: false });
    else await pipeline(lines, createWriteStream(this.output, { flags: 'wx', mode: 0o600 }));
    return exitCodes.ok;
  }
}

function readPosition(given: string | undefined, flag: string): number | Refusal | null {
  if (given === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  return refuse('invalid', `${flag} must be a whole number from 1, was ${JSON.stringify(given)}`);
}
