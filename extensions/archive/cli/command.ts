// Defines the commands of the archive of usage.

import { Option } from 'clipanion';
import type { z } from 'zod';

import { exitCodes } from '../../../src/cli/printing/exit-codes.ts';
import { ChangeCommand } from '../../../src/cli/control-plane/change-command.ts';
import type { CommandOutput } from '../../../src/cli/control-plane/change-command.ts';
import type { AdminClient } from '../../../src/cli/control-plane/admin-client.ts';
import { readTime } from '../../../src/cli/commands/usage/usage-reprice.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import type { archiveCheckRecord } from '../routes.ts';

const dayMs = 86_400_000;
/** Each call reads the segments of this many days. */
const callDays = 1;
const callMs = 290_000;

export class UsageArchiveCommand extends ChangeCommand {
  static override paths = [['usage', 'archive']];
  static override usage = ChangeCommand.Usage({
    description: 'show how far the archive of usage rows is',
    details: `
      Shows where the archive is, how many hours and segments it has, and what is not in it yet.
      Exits 10 if rows are missing that should be in it. Needs --control-url (GW_CONTROL_URL),
      and --login or GW_ADMIN_TOKEN with the permission usage:read.
    `,
    examples: [['Show the state', '$0 usage archive']],
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { archiveStatusRecord: answer } = await import('../routes.ts');
    const status = await admin.ask({ method: 'GET', path: '/admin/usage/archive', answer });
    if (isRefusal(status)) return status;
    const { place, hours, segments, pending_hours: pending, pending_corrections: made } = status;
    const lines = [
      status.is_on
        ? `usage is archived to ${place}`
        : 'no archive is configured, and rows are removed without one',
      `${hours} hours in ${segments} segments; ${status.verified_hours} hours were read back`,
    ];
    if (pending > 0) {
      lines.push(
        `${pending} hours should be in the archive and are not, from ${status.first_pending_hour}`,
      );
    }
    if (made > 0) lines.push(`${made} recomputations of costs are not in the archive yet`);
    const isBehind = status.is_on && pending + made > 0;
    return {
      json: status,
      text: lines.join('\n'),
      exit: isBehind ? exitCodes.differences : exitCodes.ok,
    };
  }
}

type Check = z.output<typeof archiveCheckRecord>;

export class UsageArchiveVerifyCommand extends ChangeCommand {
  static override paths = [['usage', 'archive', 'verify']];
  static override usage = ChangeCommand.Usage({
    description: 'verify the archive of usage rows',
    details: `
      Reads every segment of the range and changes nothing. Compares each manifest with its digest
      in the event log, each segment with its manifest, and each hour with the sums that reports
      read. Exits 10 and names each problem with its file and hour. Needs --control-url
      (GW_CONTROL_URL), and --login or GW_ADMIN_TOKEN with the permission usage:read.
    `,
    examples: [
      [
        'Verify a month',
        '$0 usage archive verify --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z',
      ],
    ],
  });

  from = Option.String('--from', { description: 'start of the range (default the first hour)' });
  to = Option.String('--to', { description: 'end of the range, exclusive (default now)' });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { archiveCheckRecord: answer, archiveStatusRecord } = await import('../routes.ts');
    const from = this.from === undefined ? null : readTime(this.from, '--from');
    if (isRefusal(from)) return from;
    const to = this.to === undefined ? new Date().toISOString() : readTime(this.to, '--to');
    if (isRefusal(to)) return to;
    const path = '/admin/usage/archive';
    const status = await admin.ask({ method: 'GET', path, answer: archiveStatusRecord });
    if (isRefusal(status)) return status;
    const first = from ?? status.first_hour;
    if (first === null) return nothing;
    const checks: Check[] = [];
    for (let since = Date.parse(first); since < Date.parse(to); since += callDays * dayMs) {
      const until = Math.min(since + callDays * dayMs, Date.parse(to));
      const query = `since=${new Date(since).toISOString()}&until=${new Date(until).toISOString()}`;
      if (until - since < hourMs) break;
      const check = await admin.ask({
        method: 'GET',
        path: `${path}/verify?${query}`,
        answer,
        limitMs: callMs,
      });
      if (isRefusal(check)) return check;
      checks.push(check);
    }
    return output(checks);
  }
}

const hourMs = 3_600_000;

const nothing = refuse('conflict', 'no archive of usage is configured');

function output(checks: readonly Check[]): CommandOutput {
  const sum = (of: (check: Check) => number): number =>
    checks.reduce((total, check) => total + of(check), 0);
  const json = {
    hours: sum(({ hours }) => hours),
    segments: sum(({ segments }) => segments),
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    pending: checks.flatMap(({ pending }) => pending),
    problem_count: sum(({ problem_count: count }) => count),
    problems: checks.flatMap(({ problems }) => problems),
  };
  const { hours, segments, rows, pending, problems, problem_count: count } = json;
  const lines = [`${rows} rows in ${segments} segments of ${hours} hours`];
  if (pending.length > 0) {
    lines.push(`${pending.length} hours have rows that are not in the archive yet`);
  }
  lines.push(...problems.map(({ problem }) => problem));
  if (count > problems.length) lines.push(`and ${count - problems.length} more problems`);
  if (count === 0) lines.push('the archive is complete and unchanged');
  const exit = count === 0 ? exitCodes.ok : exitCodes.differences;
  return { json, text: lines.join('\n'), exit };
}
