// Defines `gw log export`, which writes the exact bytes of the event log, with its checkpoints.

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
    description: 'export the event log with its signed checkpoints',
    details: `
      Writes one line of JSON per event, in the order of the log, and one per checkpoint. The export
      holds no secrets or personal data. \`gw log verify-export\` and deploy/verify.mjs check it;
      \`gw log replay\` restores it into a database. Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [['Export the whole log', '$0 log export -o log.ndjson']],
  });

  from = Option.String('--from', { description: 'first position (default the first of the log)' });
  to = Option.String('--to', { description: 'last position (default the last of the log)' });
  output = Option.String('-o,--output', {
    description: 'file to create (default standard output)',
  });

  protected override async read(db: Database): Promise<ExitCode | Refusal> {
    const from = readPosition(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = readPosition(this.to, '--to');
    if (isRefusal(to)) return to;
    const { exportLog } = await import('../../control/log/export.ts');
    const { logRange } = await import('../../control/log/log-range.ts');
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
