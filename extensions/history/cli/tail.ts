// Defines the command that prints new events of the log, one per line, until it is interrupted.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Option } from 'clipanion';

import type { HistoryEvent } from '../../../projections/history-event.ts';
import type { Database } from '../../../src/db/pool.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import type { ExitCode } from '../../../src/cli/printing/exit-codes.ts';
import { eventLine } from '../../../src/cli/printing/history-lines.ts';
import { LogCommand } from '../../../src/cli/control-plane/log-command.ts';

export class TailCommand extends LogCommand {
  static override paths = [['tail']];
  static override usage = LogCommand.Usage({
    description: 'follow the event log',
    details: `
      Prints one line per event, in the order of the log, until interrupted. After a lost database
      connection it continues where it stopped. Needs --database-url (GW_DATABASE_URL).
    `,
    examples: [
      ['Print events from now on', '$0 tail'],
      ['Send the whole log to a collector', '$0 tail --after 0 --json'],
    ],
  });

  after = Option.String('--after', { description: 'start after this position (default the last)' });
  json = Option.Boolean('--json', false, {
    description: 'print each event as a CloudEvent in JSON',
  });

  protected override async read(db: Database): Promise<ExitCode | Refusal> {
    const asked = readAfter(this.after);
    if (isRefusal(asked)) return asked;
    const { cloudEvent } = await import('../cloud-event.ts');
    const { refuseBeyond } = await import('../follow-history.ts');
    const { followLog } = await import('./follow-log.ts');
    const { readHead } = await import('../../../src/db/log/event-log.ts');
    const { logId, position } = await readHead(db);
    const after = asked ?? position;
    const beyond = refuseBeyond(position, { after, param: '--after' });
    if (beyond !== null) return beyond;
    const warn = (message: string): void => void this.context.stderr.write(`gw: ${message}\n`);
    const print = (event: HistoryEvent): string =>
      this.json ? JSON.stringify(cloudEvent(logId, event)) : eventLine(event);
    const lines = linesOf(followLog({ db, after, warn }), print);
    await pipeline(Readable.from(lines), this.context.stdout, { end: false });
    return exitCodes.ok;
  }
}

async function* linesOf(
  events: AsyncIterable<HistoryEvent>,
  print: (event: HistoryEvent) => string,
): AsyncGenerator<string, void, undefined> {
  for await (const event of events) yield `${print(event)}\n`;
}

function readAfter(given: string | undefined): number | Refusal | null {
  if (given === undefined) return null;
  if (/^(?:0|[1-9]\d{0,14})$/.test(given)) return Number(given);
  return refuse('invalid', `--after must be a whole number from 0, was ${JSON.stringify(given)}`);
}
