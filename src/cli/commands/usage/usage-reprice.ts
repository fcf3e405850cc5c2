// Defines `gw usage reprice`, which corrects the costs of past usage.

import { Option } from 'clipanion';
import type { z } from 'zod';

import type { repriceRecord } from '../../../admin/operations/ledger.ts';
import { timestampField } from '../../../lib/fields.ts';
import { plainly, ruleText } from '../../../lib/plain-issue.ts';
import { counted } from '../../../lib/text.ts';
import { isRefusal, refuse } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import type { AdminClient } from '../../control-plane/admin-client.ts';
import { ChangeCommand } from '../../control-plane/change-command.ts';
import type { CommandOutput } from '../../control-plane/change-command.ts';
import { wholeNumber } from '../../settings/setting.ts';
import { inHeader } from '../../control-plane/header-text.ts';
import { ledgerCallMs } from './usage-verify.ts';

export class UsageRepriceCommand extends ChangeCommand {
  static override paths = [['usage', 'reprice']];
  static override usage = ChangeCommand.Usage({
    description: 'update the costs of past usage to other prices',
    details: `
      Computes the cost of each row again and appends the difference as a correction. Rows never
      change: totals show the booked and the corrected cost, and budgets take the difference in
      their present window. All corrections are applied at once. Running it again changes nothing.
      Skips answers of the cache, costs that the provider reported, and estimates. Needs
      --control-url (GW_CONTROL_URL), and --login or GW_ADMIN_TOKEN with the permission
      config:write.
    `,
    examples: [
      [
        'Show what the prices of today would change in a month',
        '$0 usage reprice --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z --dry-run',
      ],
      [
        'Take all corrections of that month back',
        '$0 usage reprice --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z --card booked',
      ],
    ],
  });

  from = Option.String('--from', { description: 'start of the range; required' });
  to = Option.String('--to', { description: 'end of the range, exclusive; required' });
  model = Option.String('--model', { description: 'name of a model (default all)' });
  card = Option.String('--card', 'current', {
    description: 'version of the prices, current or booked (default current)',
  });
  reason = Option.String('--reason', { description: 'why, for the audit log' });
  dryRun = Option.Boolean('--dry-run', false, {
    description: 'print what would change and change nothing',
  });

  wait = Option.String('--wait', String(ledgerCallMs / 1000), {
    description: `seconds to wait for the result (default ${ledgerCallMs / 1000}, the maximum)`,
  });
  breakGlass = Option.String('--break-glass', {
    description: 'reason for skipping the approval that the change policy requires',
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const since = readTime(this.from, '--from');
    if (isRefusal(since)) return since;
    const until = readTime(this.to, '--to');
    if (isRefusal(until)) return until;
    const card = readCard(this.card, ['current', 'booked']);
    if (isRefusal(card)) return card;
    const { repriceRecord: answer } = await import('../../../admin/operations/ledger.ts');
    const { model, reason, breakGlass, dryRun: dry_run } = this;
    const seconds = waitField.safeParse(this.wait, plainly);
    if (!seconds.success) return refuse('invalid', `--wait ${ruleText(seconds.error)}`);
    const made = await admin.ask({
      method: 'POST',
      path: '/admin/usage/reprice',
      body: { since, until, model, card, reason, dry_run },
      headers: breakGlass === undefined ? {} : { 'x-gw-break-glass': inHeader(breakGlass) },
      answer,
      limitMs: seconds.data * 1000,
      late: noAnswer(seconds.data),
    });
    return isRefusal(made) ? made : { json: made, text: toText(made) };
  }
}

const waitField = wholeNumber({ from: 1, to: ledgerCallMs / 1000 });

/** The control plane does not stop when the client leaves. */
const noAnswer = (seconds: number): Refusal =>
  refuse(
    'unavailable',
    `no answer after ${seconds} s. The control plane applies all corrections at once when it has ` +
      'finished, or none if it fails. Run the command again: it is refused while the first one is ' +
      'running, and corrects nothing twice',
  );

export function readTime(given: string | undefined, flag: string): string | Refusal {
  const read = timestampField.safeParse(given ?? '', plainly);
  if (read.success) return read.data;
  const found = given === undefined ? 'was not given' : `was ${JSON.stringify(given)}`;
  return refuse('invalid', `${flag} ${ruleText(read.error)}, ${found}`);
}

/** A version of prices, or one of these words. */
export function readCard<Word extends string>(
  given: string,
  words: readonly Word[],
): number | Word | Refusal {
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  const rule = `--card must be a version from 1, ${words.join(' or ')}`;
  return refuse('invalid', `${rule}, was ${JSON.stringify(given)}`);
}

function toText(made: z.output<typeof repriceRecord>): string {
  const { dry_run: isDryRun, rows, corrected_rows: corrected, unpriced_rows: unpriced } = made;
  const verb = isDryRun ? 'would be' : 'were';
  const lines = [`${corrected} of ${rows} rows ${verb} corrected`];
  if (unpriced > 0)
    lines.push(`${counted(unpriced, 'row')} with the same cost: not covered by these prices`);
  for (const { currency, delta_micros: delta } of made.totals) {
    const amount = `${delta < 0 ? '' : '+'}${delta}`;
    lines.push(`${currency}: ${amount} micro-units`);
  }
  return lines.join('\n');
}
