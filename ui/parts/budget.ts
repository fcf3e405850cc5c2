// Draws the usage of a budget as bars for tokens and cost.

import { html } from 'lit';

import type { Budget } from '../api/records.ts';
import '../elements/chart/bar.ts';
import { costCap, nearerCap, shareOf, tokensCap } from '../lib/access/budget.ts';
import { formatMoneyShort, formatShort } from '../lib/text/format.ts';

type Look = Readonly<{ stacked?: boolean }>;

/** Usage is unknown for past versions. */
const used = (value: number | null, write: (value: number) => string): string =>
  value === null ? 'unknown' : write(value);

export const tokensBar = (budget: Budget, { stacked = false }: Look = {}) => {
  const { principal, tokens_used } = budget;
  const total = tokensCap(budget);
  return html`<gw-bar
    label="Tokens of ${principal}"
    ?stacked=${stacked}
    .share=${shareOf(tokens_used, total)}
    used="${used(tokens_used, formatShort)}${stacked ? ' tokens' : ''}"
    total=${total === null ? '' : formatShort(total)}
  ></gw-bar>`;
};

export const moneyBar = (budget: Budget, { stacked = false }: Look = {}) => {
  const { principal, cost_used_micros } = budget;
  const total = costCap(budget);
  return html`<gw-bar
    label="Cost of ${principal}"
    ?stacked=${stacked}
    .share=${shareOf(cost_used_micros, total)}
    used=${used(cost_used_micros, formatMoneyShort)}
    total=${total === null ? '' : formatMoneyShort(total)}
  ></gw-bar>`;
};

export function nearerBar(budget: Budget) {
  const nearer = nearerCap(budget);
  if (nearer === null && budget.cost_total_micros === null) return tokensBar(budget);
  return nearer?.cap === 'tokens' ? tokensBar(budget) : moneyBar(budget);
}
