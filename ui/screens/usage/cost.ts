// Draws the counts of a request and what each of them cost, as booked and as corrected.

import { html, nothing } from 'lit';

import type { UsageEvent } from '../../api/records.ts';
import '../../elements/money.ts';
import { amountText, costLines, formatPart, notReported } from '../../lib/observe/usage-cost.ts';
import type { CostLine } from '../../lib/observe/usage-cost.ts';
import { formatMoneyOf } from '../../lib/text/format.ts';

type Fact = readonly [string, unknown];

export function costFacts({ cost_micros, currency, corrected = null, ...row }: UsageEvent): Fact[] {
  const booked =
    cost_micros === null
      ? html`<gw-money .micros=${null}></gw-money>`
      : formatMoneyOf(cost_micros, currency);
  const tier: Fact[] = row.service_tier === null ? [] : [['Service tier', row.service_tier]];
  if (corrected === null) return [...tier, ['Actual cost', booked]];
  return [
    ...tier,
    ['Booked cost', booked],
    ['Corrected cost', formatMoneyOf(corrected.cost_micros, corrected.currency)],
  ];
}

/** Nothing without reported or estimated counts. */
export function costTable(row: UsageEvent) {
  if (!row.usage_reported && !row.usage_estimated) return nothing;
  const absent = notReported(row);
  return html`<div class="section"><h3>Counts and cost</h3></div>
    <ul class="rows">
      ${costLines(row).map(
        (line) =>
          html`<li>
            <span>${line.label}</span>
            ${line.count === null ? nothing : html`<span class="quiet">${formatPart(line.count)}</span>`}
            <span class="end">${costText(line, row)}</span>
          </li>`,
      )}
    </ul>
    ${absent.length === 0 ? nothing : html`<p class="quiet">Not reported: ${absent.join('; ')}</p>`}`;
}

function costText({ cost, corrected: after }: CostLine, row: UsageEvent): string {
  const { currency, corrected = null } = row;
  const booked = amountText(cost, currency);
  return corrected === null || after === cost
    ? booked
    : `${booked}, corrected ${amountText(after, corrected.currency)}`;
}
