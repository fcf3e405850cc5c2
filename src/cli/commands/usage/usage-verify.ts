// Defines `gw usage verify`, which proves the ledger of usage.

import type { z } from 'zod';

import type { ledgerCheckRecord } from '../../../admin/operations/ledger.ts';
import { isRefusal } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import type { AdminClient } from '../../control-plane/admin-client.ts';
import { ChangeCommand } from '../../control-plane/change-command.ts';
import type { CommandOutput } from '../../control-plane/change-command.ts';
import { exitCodes } from '../../printing/exit-codes.ts';

/** The time limit of calls that read many rows. */
export const ledgerCallMs = 290_000;

export class UsageVerifyCommand extends ChangeCommand {
  static override paths = [['usage', 'verify']];
  static override usage = ChangeCommand.Usage({
    description: 'verify that the ledger of usage is complete and correct',
    details: `
      Reads every usage row and changes nothing. Computes each cost again from the row's counts and
      the version of the prices that it names. Compares the sums of rows, hours and budgets. Looks
      for rows that never arrived or were deleted, by their numbers. Exits 10 and names each
      problem if something differs. Needs --control-url (GW_CONTROL_URL), and --login or
      GW_ADMIN_TOKEN with the permission usage:read.
    `,
    examples: [['Verify the ledger', '$0 usage verify']],
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { ledgerCheckRecord: answer } = await import('../../../admin/operations/ledger.ts');
    const check = await admin.ask({
      method: 'GET',
      path: '/admin/usage/verify',
      answer,
      limitMs: ledgerCallMs,
    });
    if (isRefusal(check)) return check;
    const exit = check.problem_count === 0 ? exitCodes.ok : exitCodes.differences;
    return { json: check, text: toText(check), exit };
  }
}

function toText(check: z.output<typeof ledgerCheckRecord>): string {
  const { rows, rolled_up_requests: rolledUp, runs, recomputed_rows: recomputed } = check;
  const lines = [
    `${rows} rows and ${rolledUp} rolled-up requests of ${runs} proxy processes`,
    `the costs of ${recomputed} rows were computed again`,
  ];
  if (check.unversioned_rows > 0) {
    lines.push(`${check.unversioned_rows} rows name no version of the prices and were not checked`);
  }
  if (check.unnumbered_rows > 0) {
    lines.push(`${check.unnumbered_rows} rows of older proxies have no number`);
  }
  for (const { replica, run, first, last } of check.pending) {
    lines.push(`rows ${first} to ${last} of run ${run} of ${replica} have not arrived yet`);
  }
  lines.push(...check.problems.map(({ problem }) => problem));
  const rest = check.problem_count - check.problems.length;
  if (rest > 0) lines.push(`and ${rest} more problems`);
  if (check.problem_count === 0) lines.push('the ledger is complete and its sums are correct');
  return lines.join('\n');
}
