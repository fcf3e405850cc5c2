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
      Exits 10 if rows are missing that should be in it, if an hour failed, or if control processes
      have different settings. Needs --control-url (GW_CONTROL_URL),
      and --login or GW_ADMIN_TOKEN with the permission usage:read.
    `,
    examples: [['Show the state', '$0 usage archive']],
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { archiveStatusRecord: answer } = await import('../routes.ts');
    const status = await admin.ask({ method: 'GET', path: '/admin/usage/archive', answer });
    if (isRefusal(status)) return status;
    const { place, hours, segments, pending_hours: pending, pending_corrections: made } = status;
    const { failed_hours: failed, other_places: others } = status;
    const lines = [
      status.is_on
        ? `usage is archived to ${place}`
        : 'no archive is configured, and rows are removed without one',
      `${hours} hours in ${segments} segments (${status.bytes} bytes); ${status.verified_hours} hours were read back`,
    ];
    if (pending > 0) {
      lines.push(
        `${pending} hours should be in the archive and are not, from ${status.first_pending_hour}`,
      );
    }
    if (made > 0) lines.push(`${made} recomputations of costs are not in the archive yet`);
    if (failed > 0)
      lines.push(`${failed} hours failed, from ${status.first_failed_hour}: ${status.failure}`);
    if (others.length > 0) {
      lines.push(
        `running control processes have other settings, which are not used: ${others.join(', ')}`,
      );
    }
    const isBehind = status.is_on && pending + made + failed + others.length > 0;
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
      read. Names each problem with its file and hour. Exits 10 if there is one, if an hour could
      not be compared, or if rows are missing that should be in the archive. Needs --control-url
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
    const path = '/admin/usage/archive';
    const status = await admin.ask({ method: 'GET', path, answer: archiveStatusRecord });
    if (isRefusal(status)) return status;
    const days = daysOf(this, status.first_hour);
    if (isRefusal(days)) return days;
    const checks: Check[] = [];
    for (const { since, until } of days) {
      const check = await admin.ask({
        method: 'GET',
        path: `${path}/verify?since=${since}&until=${until}`,
        answer,
        limitMs: callMs,
      });
      if (isRefusal(check)) return check;
      checks.push(check);
    }
    return output(checks, status.pending_hours > 0 ? status.first_pending_hour : null);
  }
}

export class UsageArchiveRepairCommand extends ChangeCommand {
  static override paths = [['usage', 'archive', 'repair']];
  static override usage = ChangeCommand.Usage({
    description: 'restore lost or damaged files of the archive from the database',
    details: `
      Reads every segment of the range. Builds each that is missing or damaged again from the rows
      that the database still has, and writes it if it has the digest that the event log names. If
      the rows are the same but the bytes differ, because another release wrote the file, an event
      names the new manifest. Exits 10 if a file could not be written again. Needs --control-url
      (GW_CONTROL_URL), and --login or GW_ADMIN_TOKEN with the permission config:write.
    `,
    examples: [
      [
        'Repair a day',
        '$0 usage archive repair --from 2026-10-01T00:00:00Z --to 2026-10-02T00:00:00Z',
      ],
    ],
  });

  from = Option.String('--from', { description: 'start of the range (default the first hour)' });
  to = Option.String('--to', { description: 'end of the range, exclusive (default now)' });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { archiveRepairRecord: answer, archiveStatusRecord } = await import('../routes.ts');
    const path = '/admin/usage/archive';
    const status = await admin.ask({ method: 'GET', path, answer: archiveStatusRecord });
    if (isRefusal(status)) return status;
    const days = daysOf(this, status.first_hour);
    if (isRefusal(days)) return days;
    const made: z.output<typeof answer>[] = [];
    for (const body of days) {
      const repaired = await admin.ask({
        method: 'POST',
        path: `${path}/repair`,
        body,
        answer,
        limitMs: callMs,
      });
      if (isRefusal(repaired)) return repaired;
      made.push(repaired);
    }
    const repairs = made.flatMap((one) => one.repairs);
    const segments = made.reduce((total, one) => total + one.segments, 0);
    const lines = repairs.map(
      ({ file, outcome, problem }) => problem ?? `${file}: ${written[outcome]}`,
    );
    const isWhole = repairs.every(({ outcome }) => outcome !== 'lost');
    return {
      json: { segments, repairs },
      text: [`${repairs.length} of ${segments} segments were not intact`, ...lines].join('\n'),
      exit: isWhole ? exitCodes.ok : exitCodes.differences,
    };
  }
}

const written = {
  same: 'written again as the log names it',
  new: 'written again from the same rows, with a new manifest in the log',
  lost: 'not written',
} as const;

const hourMs = 3_600_000;

const nothing = refuse('conflict', 'no archive of usage is configured');

type Range = Readonly<{ from: string | undefined; to: string | undefined }>;

/** One call reads a day, so that none takes too long. */
function daysOf({ from, to }: Range, firstHour: string | null) {
  const since = from === undefined ? firstHour : readTime(from, '--from');
  if (isRefusal(since)) return since;
  const until = to === undefined ? new Date().toISOString() : readTime(to, '--to');
  if (isRefusal(until)) return until;
  if (since === null) return nothing;
  const days: { since: string; until: string }[] = [];
  const endMs = Date.parse(until);
  for (let startMs = Date.parse(since); endMs - startMs >= hourMs; startMs += callDays * dayMs) {
    const untilMs = Math.min(startMs + callDays * dayMs, endMs);
    days.push({ since: new Date(startMs).toISOString(), until: new Date(untilMs).toISOString() });
  }
  return days;
}

/** `overdue` is the first hour that should be in the archive and is not. */
function output(checks: readonly Check[], overdue: string | null): CommandOutput {
  const sum = (of: (check: Check) => number): number =>
    checks.reduce((total, check) => total + of(check), 0);
  const json = {
    hours: sum(({ hours }) => hours),
    segments: sum(({ segments }) => segments),
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    compared: sum(({ compared }) => compared),
    pending: checks.flatMap(({ pending }) => pending),
    uncompared: checks.flatMap(({ uncompared }) => uncompared),
    problem_count: sum(({ problem_count: count }) => count),
    problems: checks.flatMap(({ problems }) => problems),
  };
  const { hours, segments, rows, compared, pending, uncompared, problems } = json;
  const isOverdue = overdue !== null && pending.includes(overdue);
  const lines = [
    `${rows} rows in ${segments} segments of ${hours} hours`,
    `${compared} hours were compared with the sums of the database`,
  ];
  if (pending.length > 0) {
    lines.push(
      `${pending.length} hours have rows that are not in the archive yet, from ${pending[0]}` +
        (isOverdue ? `; those of ${overdue} should be` : ''),
    );
  }
  if (uncompared.length > 0) {
    lines.push(`${uncompared.length} hours could not be compared, from ${uncompared[0]}`);
  }
  lines.push(...problems.map(({ problem }) => problem));
  const { problem_count: count } = json;
  if (count > problems.length) lines.push(`and ${count - problems.length} more problems`);
  const isProven = count === 0 && uncompared.length === 0 && !isOverdue;
  if (isProven && compared > 0) lines.push('what was compared is complete and unchanged');
  return { json, text: lines.join('\n'), exit: isProven ? exitCodes.ok : exitCodes.differences };
}
