// Defines `gw usage verify`, which proves the ledger of usage.

import type { z } from 'zod';

import type { ledgerCheckRecord } from '../../../admin/operations/ledger.ts';
import { isRefusal } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { counted } from '../../../lib/text.ts';
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
  const processes = runs === 1 ? '1 proxy process' : `${runs} proxy processes`;
  const lines = [
    `${counted(rows, 'row')} and ${counted(rolledUp, 'rolled-up request')} of ${processes}`,
    `costs computed again: ${counted(recomputed, 'row')}`,
  ];
  if (check.unversioned_rows > 0) {
    lines.push(
      `not checked, without a version of the prices: ${counted(check.unversioned_rows, 'row')}`,
    );
  }
  if (check.unnumbered_rows > 0) {
    lines.push(`${counted(check.unnumbered_rows, 'row')} of older proxies without a number`);
  }
  for (const { replica, run, first, last } of check.pending) {
    lines.push(`rows ${first} to ${last} of run ${run} of ${replica} have not arrived yet`);
  }
  lines.push(...check.problems.map(({ problem }) => problem));
  const rest = check.problem_count - check.problems.length;
  if (rest > 0) lines.push(`and ${counted(rest, 'more problem')}`);
  if (check.problem_count === 0) lines.push('the ledger is complete and its sums are correct');
  return lines.join('\n');
}
