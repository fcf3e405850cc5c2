// Defines `gw change …`: draft, list, show, approve, schedule and apply change requests.

import { readFileSync } from 'node:fs';

import { Option } from 'clipanion';
import { z } from 'zod';

import type { Refusal } from '../../../src/lib/refusal.ts';
import { isRefusal, refuse } from '../../../src/lib/refusal.ts';
import type { AdminClient } from '../../../src/cli/control-plane/admin-client.ts';
import { ChangeCommand } from '../../../src/cli/control-plane/change-command.ts';
import type { CommandOutput } from '../../../src/cli/control-plane/change-command.ts';
import { differenceLines } from '../../../src/cli/printing/history-lines.ts';

const path = '/admin/change-requests';

/** Printed as text; `--json` prints the whole answer. */
const request = z.looseObject({
  id: z.int(),
  state: z.string(),
  title: z.string().nullable(),
  author: z.looseObject({ name: z.string().nullable() }).nullable(),
  kinds: z.array(z.string()),
  calls: z.array(z.looseObject({ method: z.string(), path: z.string() })),
});
type Request = z.output<typeof request>;

const shown = request.extend({
  digest: z.string().nullable(),
  outcome: z.string().nullable(),
  apply_at: z.string().nullable(),
  failure: z.looseObject({ cause: z.string(), message: z.string().nullable() }).nullable(),
  refusal: z.looseObject({ message: z.string() }).nullable(),
  change: z
    .looseObject({
      difference_count: z.int(),
      diff: z.array(
        z.looseObject({
          kind: z.string(),
          id: z.int(),
          name: z.string().nullable(),
          change: z.string(),
          fields: z.array(
            z.looseObject({ field: z.string(), before: z.unknown(), after: z.unknown() }),
          ),
        }),
      ),
    })
    .nullable(),
  history: z.array(
    z.looseObject({ at: z.string(), actor_name: z.string().nullable(), command: z.string() }),
  ),
});

const line = ({ id, state, author, kinds, title }: Request): string =>
  [id, state, author?.name ?? '-', kinds.join(',') || '-', title ?? ''].join('  ');

const output = (one: Request): CommandOutput => ({ json: one, text: line(one) });

export class ChangeListCommand extends ChangeCommand {
  static override paths = [['change', 'list']];
  static override usage = ChangeCommand.Usage({
    description: 'list the change requests, newest first',
    details: `
      Needs --control-url (GW_CONTROL_URL), and either --login with a password (--password,
      GW_PASSWORD or GW_PASSWORD_FILE) or an admin token (GW_ADMIN_TOKEN or GW_ADMIN_TOKEN_FILE).
    `,
    examples: [['Changes that await a review', '$0 change list --login ada --state review_due']],
  });

  state = Option.String('--state', {
    description: 'only this state: open, approved, scheduled, review_due, …',
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const query = this.state === undefined ? '' : `?state=${encodeURIComponent(this.state)}`;
    const answer = await admin.ask({ method: 'GET', path: path + query, answer: z.array(request) });
    if (isRefusal(answer)) return answer;
    return { json: answer, text: answer.map(line).join('\n') || 'none' };
  }
}

export class ChangeShowCommand extends ChangeCommand {
  static override paths = [['change', 'show']];
  static override usage = ChangeCommand.Usage({
    description:
      'show a change request, its effect on the current configuration, and how to approve it',
    details: 'Needs --control-url (GW_CONTROL_URL), --login and a password, as change list does.',
    examples: [['Show change request 7', '$0 change show 7 --login ada']],
  });

  id = Option.String({ name: 'id' });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const at = `${path}/${encodeURIComponent(this.id)}`;
    const answer = await admin.ask({ method: 'GET', path: at, answer: shown });
    return isRefusal(answer) ? answer : { json: answer, text: toText(answer) };
  }
}

function toText(one: z.output<typeof shown>): string {
  const { calls, change, refusal, failure, history, digest, outcome } = one;
  const listed = change?.diff ?? [];
  const unlisted = (change?.difference_count ?? 0) - listed.length;
  const approving = `gw change approve ${one.id} --digest ${digest} --outcome ${outcome}`;
  return [
    line(one),
    ...calls.map((call) => `  ${call.method} ${call.path}`),
    ...listed.flatMap(differenceLines).map((text) => `  ${text}`),
    ...(unlisted > 0 ? [`  and ${unlisted} more`] : []),
    ...(refusal === null ? [] : [`  cannot be applied: ${refusal.message}`]),
    ...history.map(({ at, actor_name: name, command }) => `  ${at}  ${name ?? '-'}  ${command}`),
    ...(one.state !== 'scheduled' ? [] : [`  scheduled for ${one.apply_at}`]),
    ...(failure === null ? [] : [`  could not be applied: ${failure.message ?? failure.cause}`]),
    ...(outcome === null ? [] : [`  to approve: ${approving}`]),
  ].join('\n');
}

export class ChangeDraftCommand extends ChangeCommand {
  static override paths = [['change', 'draft']];
  static override usage = ChangeCommand.Usage({
    description: 'draft a change request from calls of the admin API',
    details: `
      The file holds a JSON list of {method, path, body}. Needs --title, --reason, --control-url
      (GW_CONTROL_URL) and a login or an admin token, as change list does.
    `,
    examples: [
      [
        'Draft new prices',
        '$0 change draft --login ada --title "Autumn prices" --reason CHG-9 --calls prices.json',
      ],
    ],
  });

  title = Option.String('--title', { required: true, description: 'title of the change request' });
  reason = Option.String('--reason', {
    required: true,
    description: 'reason, kept in the history',
  });
  calls = Option.String('-f,--file,--calls', {
    required: true,
    description: 'JSON file with the calls',
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const calls = readCalls(this.calls);
    if (isRefusal(calls)) return calls;
    const { title, reason } = this;
    const body = { title, reason, calls: calls.list };
    const answer = await admin.ask({ method: 'POST', path, body, answer: request });
    return isRefusal(answer) ? answer : output(answer);
  }
}

function readCalls(file: string): Readonly<{ list: unknown }> | Refusal {
  try {
    return { list: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return refuse('invalid', `--calls names ${file}, which is not valid JSON: ${why}`);
  }
}

export class ChangeStepCommand extends ChangeCommand {
  static override paths = ['refuse', 'withdraw', 'apply', 'review'].map((step) => ['change', step]);
  static override usage = ChangeCommand.Usage({
    description:
      'refuse, withdraw or apply a change request, or review one applied without approval',
    details: 'Needs --control-url (GW_CONTROL_URL), --login and a password, as change list does.',
    examples: [
      ['Apply an approved change request', '$0 change apply 7 --login ada'],
      ['Refuse a change request', '$0 change refuse 7 --login bob --reason "not in December"'],
    ],
  });

  id = Option.String({ name: 'id' });
  reason = Option.String('--reason', { description: 'reason, kept in the history' });

  protected override ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    return step(admin, {
      id: this.id,
      step: this.path.at(-1) ?? '',
      body: { reason: this.reason },
    });
  }
}

export class ChangeScheduleCommand extends ChangeCommand {
  static override paths = [['change', 'schedule']];
  static override usage = ChangeCommand.Usage({
    description: 'schedule an approved change request',
    details: `
      Needs either --at or --unset, --control-url (GW_CONTROL_URL) and a login or an admin token, as
      change list does.
    `,
    examples: [
      ['Apply at night', '$0 change schedule 7 --login ada --at 2026-12-01T02:00:00Z'],
      ['Remove the schedule', '$0 change schedule 7 --login ada --unset'],
    ],
  });

  id = Option.String({ name: 'id' });
  at = Option.String('--at', { description: 'RFC 3339 time in the future' });
  unset = Option.Boolean('--unset', false, {
    description: 'remove the schedule; `change apply` then applies the request',
  });
  reason = Option.String('--reason', { description: 'reason, kept in the history' });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { id, at = null, unset, reason } = this;
    if (unset === (at !== null)) return refuse('invalid', 'either --at or --unset is required');
    return step(admin, { id, step: 'schedule', body: { at, reason } });
  }
}

export class ChangeApproveCommand extends ChangeCommand {
  static override paths = [['change', 'approve']];
  static override usage = ChangeCommand.Usage({
    description: 'approve the version of a change request that change show printed',
    details: `
      The author cannot approve it, nor anyone whose password the author set. Needs --control-url
      (GW_CONTROL_URL), --login and a password, as change list does.
    `,
    examples: [
      ['Approve what was shown', '$0 change approve 7 --login bob --digest 3f1c… --outcome 9c56…'],
    ],
  });

  id = Option.String({ name: 'id' });
  digest = Option.String('--digest', {
    required: true,
    description: 'digest of the calls, as shown',
  });
  outcome = Option.String('--outcome', {
    required: true,
    description: 'digest of the effect, as shown',
  });
  reason = Option.String('--reason', { description: 'reason, kept in the history' });

  protected override ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const { id, digest, outcome, reason } = this;
    return step(admin, { id, step: 'approve', body: { digest, outcome, reason } });
  }
}

type Step = Readonly<{ id: string; step: string; body: object }>;

async function step(
  admin: AdminClient,
  { id, step, body }: Step,
): Promise<CommandOutput | Refusal> {
  const at = `${path}/${encodeURIComponent(id)}/${step}`;
  const answer = await admin.ask({ method: 'POST', path: at, body, answer: request });
  return isRefusal(answer) ? answer : output(answer);
}
