// Draws the usage of a budget as bars for tokens and cost.

import { html } from 'lit';

import type { Budget } from '../api/records.ts';
import '../elements/chart/bar.ts';
import { nearerCap, shareOf } from '../lib/access/budget.ts';
import { formatMoneyShort, formatShort } from '../lib/text/format.ts';

type Look = Readonly<{ stacked?: boolean }>;

/** Usage is unknown for past versions. */
const used = (value: number | null, write: (value: number) => string): string =>
  value === null ? 'unknown' : write(value);

export const tokensBar = (
  { principal, tokens_used, tokens_total }: Budget,
  { stacked = false }: Look = {},
) =>
  html`<gw-bar
    label="Tokens of ${principal}"
    ?stacked=${stacked}
    .share=${shareOf(tokens_used, tokens_total)}
    used="${used(tokens_used, formatShort)}${stacked ? ' tokens' : ''}"
    total=${tokens_total === null ? '' : formatShort(tokens_total)}
  ></gw-bar>`;

export const moneyBar = (
  { principal, cost_used_micros, cost_total_micros }: Budget,
  { stacked = false }: Look = {},
) =>
  html`<gw-bar
    label="Cost of ${principal}"
    ?stacked=${stacked}
    .share=${shareOf(cost_used_micros, cost_total_micros)}
    used=${used(cost_used_micros, formatMoneyShort)}
    total=${cost_total_micros === null ? '' : formatMoneyShort(cost_total_micros)}
  ></gw-bar>`;

export function nearerBar(budget: Budget) {
  const nearer = nearerCap(budget);
  if (nearer === null && budget.cost_total_micros === null) return tokensBar(budget);
  return nearer?.cap === 'tokens' ? tokensBar(budget) : moneyBar(budget);
}
