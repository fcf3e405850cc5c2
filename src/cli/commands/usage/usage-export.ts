// Defines `gw usage export`, which writes charges for FinOps tools.

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Option } from 'clipanion';

import type { ControlPlane } from '../../../control/plane.ts';
import { isRefusal, refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { PlaneCommand } from '../../control-plane/plane-command.ts';
import { exitCodes } from '../../printing/exit-codes.ts';
import type { ExitCode } from '../../printing/exit-codes.ts';
import { readTime } from './usage-reprice.ts';

export class UsageExportCommand extends PlaneCommand {
  static override paths = [['usage', 'export']];
  static override usage = PlaneCommand.Usage({
    description: 'export charges for FinOps tools',
    details: `
      Writes one row per hour, principal, model and dimension of the price, as CSV of the FinOps
      Open Cost and Usage Specification (FOCUS) 1.2. Usage without a price has empty costs. Needs
      --focus, --since, --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.
    `,
    examples: [
      [
        'Export a month',
        '$0 usage export --focus --since 2026-10-01T00:00:00Z --until 2026-11-01T00:00:00Z --out focus.csv',
      ],
    ],
  });

  focus = Option.Boolean('--focus', false, { description: 'write FOCUS CSV; required' });
  since = Option.String('--since', { description: 'start of the range; required' });
  until = Option.String('--until', { description: 'end of the range, exclusive (default now)' });
  omitUnpriced = Option.Boolean('--omit-unpriced', false, {
    description: 'leave out usage without a price, because FOCUS requires costs',
  });
  out = Option.String('-o,--output,--out', {
    description: 'file to create (default standard output)',
  });

  protected override async work(plane: ControlPlane): Promise<ExitCode | Refusal> {
    if (!this.focus) return refuse('invalid', 'usage export needs --focus');
    const since = readTime(this.since, '--since');
    if (isRefusal(since)) return since;
    const until = readTime(this.until ?? new Date().toISOString(), '--until');
    if (isRefusal(until)) return until;
    const { focusCsv, refuseRange } = await import('../../../control/usage/focus-export.ts');
    const refusal = refuseRange({ since, until });
    if (refusal !== null) return refusal;
    const unpriced = this.omitUnpriced ? 'omit' : 'null';
    const { reports: db, store } = plane;
    const source = { db, state: () => store.state() };
    const pieces = Readable.from(focusCsv(source, { since, until, unpriced }));
    if (this.out === undefined) await pipeline(pieces, this.context.stdout, { end: false });
    else await pipeline(pieces, createWriteStream(this.out, { flags: 'wx', mode: 0o600 }));
    return exitCodes.ok;
  }
}
