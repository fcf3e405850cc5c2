// Defines the commands of the access review.

import { Option } from 'clipanion';

import { accessChanges, accessOf } from '../../../projections/access.ts';
import type { AccessRow } from '../../../projections/access-review.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { mapped } from '../../../src/lib/mapped.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import type { ExitCode } from '../../../src/cli/printing/exit-codes.ts';
import {
  HistoryCommand,
  jsonPieces,
  readMoment,
} from '../../../src/cli/control-plane/history-command.ts';
import type { Streamed } from '../../../src/cli/control-plane/history-command.ts';

const needs = 'Needs --database-url (GW_DATABASE_URL) and GW_ENCRYPTION_KEY.';

export class AccessCommand extends HistoryCommand {
  static override paths = [['access']];
  static override usage = HistoryCommand.Usage({
    description: 'show who could call which model',
    details: `
      Lists each principal with each model that it may invoke, its active keys, and the role and
      permission that grant it, with the events that granted them. ${needs}
    `,
    examples: [
      ['Show the access at the end of a year', '$0 access --as-of 2026-12-31T23:59:59Z --csv'],
    ],
  });

  asOf = Option.String('--as-of', {
    description: 'snapshot version, log position or time (default now)',
  });
  csv = Option.Boolean('--csv', false, { description: 'print the result as CSV' });

  protected override async read(plane: ControlPlane): Promise<Streamed | Refusal> {
    const moment = this.asOf === undefined ? null : readMoment(this.asOf, '--as-of');
    if (isRefusal(moment)) return moment;
    const { reviewedAt, reviewer } = await import('../../../src/control/history/access.ts');
    const { csvPieces } = await import('../access-csv.ts');
    const reviewed = await reviewedAt(momentsOf(plane), moment, '--as-of');
    if (isRefusal(reviewed)) return reviewed;
    const review = await reviewer({ db: plane.reports, vault: plane.vault }, reviewed);
    const rows = mapped(accessOf(reviewed.state), review);
    const pieces = this.json
      ? jsonPieces(rows)
      : this.csv
        ? csvPieces(rows)
        : mapped(rows, (row) => `${rowLine(row)}\n`);
    return { pieces, code: () => exitCodes.ok };
  }
}

export class AccessDiffCommand extends HistoryCommand {
  static override paths = [['access', 'diff']];
  static override usage = HistoryCommand.Usage({
    description: 'compare the access at two points in time',
    details: `
      Lists who gained or lost the right to call a model between two versions, positions or times.
      Exits 10 if something differs. ${needs}
    `,
    examples: [['Show the changes since version 1482', '$0 access diff 1482 1490']],
  });

  from = Option.String({ name: 'from' });
  to = Option.String({ name: 'to' });

  protected override async read(plane: ControlPlane): Promise<Streamed | Refusal> {
    const [from, to] = [readMoment(this.from, 'from'), readMoment(this.to, 'to')];
    if (isRefusal(from)) return from;
    if (isRefusal(to)) return to;
    const { reviewedAt, reviewer } = await import('../../../src/control/history/access.ts');
    const before = await reviewedAt(momentsOf(plane), from, 'from');
    if (isRefusal(before)) return before;
    const behind = await reviewedAt(momentsOf(plane), to, 'to');
    if (isRefusal(behind)) return behind;
    const sources = { db: plane.reports, vault: plane.vault };
    const review = {
      lost: await reviewer(sources, before),
      gained: await reviewer(sources, behind),
    };
    let code: ExitCode = exitCodes.ok;
    const rows = mapped(accessChanges(before.state, behind.state), ({ change, access }) => {
      code = exitCodes.differences;
      return Object.assign({ change }, review[change](access));
    });
    const lines = mapped(rows, (row) => `${row.change}  ${rowLine(row)}\n`);
    return { pieces: this.json ? jsonPieces(rows) : lines, code: () => code };
  }
}

const momentsOf = ({ reports: db, past, store }: ControlPlane) => ({
  db,
  past,
  state: () => store.state(),
  clock: Date.now,
});

function rowLine({ principal_id, principal, model, via, keys }: AccessRow): string {
  const ways = via.map(({ role, resource, role_granted: held, permission_granted: given }) => {
    const positions = `role at ${held?.position ?? '?'}, permission at ${given?.position ?? '?'}`;
    return `${role} ${resource} (${positions})`;
  });
  const live = keys.length === 0 ? 'no live key' : `keys ${keys.join(', ')}`;
  return `${principal_id} ${principal}  ${model}  ${ways.join('; ')}  ${live}`;
}
