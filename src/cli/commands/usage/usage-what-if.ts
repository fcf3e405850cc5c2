// Defines `gw usage what-if`, which computes what past usage would have cost with other prices.

import { Option } from 'clipanion';
import type { z } from 'zod';

import type { whatIfRecord } from '../../../admin/operations/usage-what-if.ts';
import { isRefusal } from '../../../lib/refusal.ts';
import type { Refusal } from '../../../lib/refusal.ts';
import { counted } from '../../../lib/text.ts';
import type { AdminClient } from '../../control-plane/admin-client.ts';
import { ChangeCommand } from '../../control-plane/change-command.ts';
import type { CommandOutput } from '../../control-plane/change-command.ts';
import { readCard, readTime } from './usage-reprice.ts';
import { ledgerCallMs } from './usage-verify.ts';

export class UsageWhatIfCommand extends ChangeCommand {
  static override paths = [['usage', 'what-if']];
  static override usage = ChangeCommand.Usage({
    description: 'show what past usage would have cost with other prices',
    details: `
      Computes the cost of each row with other prices and changes nothing. The prices are a version
      of the model's own prices, those of another model, or prices in the form of a model's fields.
      Skips answers of the cache, costs that the provider reported, and estimates. Needs
      --control-url (GW_CONTROL_URL), and --login or GW_ADMIN_TOKEN with the permission usage:read.
    `,
    examples: [
      [
        'What a month of one model would have cost at the prices of another',
        '$0 usage what-if --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z --model gpt-5 --card-of gpt-5-mini',
      ],
      [
        'The same with a price of 2 dollars per million prompt tokens',
        `$0 usage what-if --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z --prices '{"input_price_per_mtok":2000000}'`,
      ],
    ],
  });

  from = Option.String('--from', { description: 'start of the range; required' });
  to = Option.String('--to', { description: 'end of the range, exclusive; required' });
  model = Option.String('--model', { description: 'name of a model (default all)' });
  card = Option.String('--card', {
    description: 'version of the prices, current or uncached (default current)',
  });
  cardOf = Option.String('--card-of', { description: 'the model that has the prices' });
  prices = Option.String('--prices', {
    description: 'prices as JSON: input_price_per_mtok, output_price_per_mtok and price_card',
  });

  protected override async ask(admin: AdminClient): Promise<CommandOutput | Refusal> {
    const since = readTime(this.from, '--from');
    if (isRefusal(since)) return since;
    const until = readTime(this.to, '--to');
    if (isRefusal(until)) return until;
    const { model, cardOf: card_of, prices } = this;
    const card = this.card === undefined ? undefined : readCard(this.card, ['current', 'uncached']);
    if (isRefusal(card)) return card;
    const given = { since, until, model, card, card_of, prices };
    const { whatIfRecord: answer } = await import('../../../admin/operations/usage-what-if.ts');
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) query.set(name, String(value));
    }
    const made = await admin.ask({
      method: 'GET',
      path: `/admin/usage/what-if?${query.toString()}`,
      answer,
      limitMs: ledgerCallMs,
    });
    return isRefusal(made) ? made : { json: made, text: toText(made) };
  }
}

function toText(made: z.output<typeof whatIfRecord>): string {
  const { rows, unpriced_rows: unpriced, newly_priced_rows: added } = made;
  const compared = rows - unpriced - added;
  const lines = [`${compared} of ${rows} rows were compared`];
  if (unpriced > 0)
    lines.push(`${counted(unpriced, 'row')} with counts that these prices do not cover`);
  if (added > 0) lines.push(`${counted(added, 'row')} without a price now, but with these prices`);
  for (const one of made.costs) {
    const { what_if_cost_micros: cost, corrected_cost_micros: now, currency } = one;
    if (compared > 0) {
      lines.push(`${currency}: ${money(cost)} instead of ${money(now)} (${change(cost - now)})`);
    }
    if (one.newly_priced_cost_micros > 0) {
      lines.push(`${currency}: ${money(one.newly_priced_cost_micros)} for rows unpriced now`);
    }
  }
  return lines.join('\n');
}

const money = (micros: number): string => (micros / 1_000_000).toFixed(6);
const change = (micros: number): string => `${micros > 0 ? '+' : ''}${money(micros)}`;
