// Draws the rate limits and the budget of one principal, with the current usage.

import { html, nothing } from 'lit';

import type { Budget } from '../../api/records.ts';
import { nearerCap } from '../../lib/access/budget.ts';
import { basisText, forecastOf, forecastText } from '../../lib/access/forecast.ts';
import { momentIn, windowWords } from '../../lib/access/window.ts';
import type { Save } from '../../lib/saves/save.ts';
import { capital, formatNumber } from '../../lib/text/format.ts';
import { moneyBar, tokensBar } from '../../parts/budget.ts';
import { facts, moment } from '../../parts/facts.ts';
import type { Fact } from '../../parts/facts.ts';
import type { RecordScreen } from '../../parts/record-screen.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { linkTo } from '../../state/location.ts';
import { increasesOf } from './increases.ts';
import type { Capped } from './load.ts';
import './refused.ts';
import { budgetRemovalOf, limitsRemovalOf } from './saves.ts';

const rate = (value: number | null): string =>
  value === null ? 'unlimited' : `${formatNumber(value)} per minute`;

export function capsRecord(capped: Capped, at: RecordScreen) {
  const { id, name, limits, budget } = capped;
  const spending = { part: 'budget', title: 'Budget', isSet: budget !== null };
  const pace = { part: 'limits', title: 'Rate limits', isSet: limits !== null };
  return html`${headOf(spending, at, () => budgetRemovalOf(capped))}
    ${budget === null ? unlimited('This principal has no budget.') : spent(budget)}
    ${increasesOf(capped, at)} ${headOf(pace, at, () => limitsRemovalOf(capped))}
    ${
      limits === null
        ? unlimited('This principal has no rate limits.')
        : facts([
            ['Requests', rate(limits.requests_per_min)],
            ['Tokens', rate(limits.tokens_per_min)],
          ])
    }
    ${
      // Refused requests are not part of a past configuration.
      isReadOnly()
        ? nothing
        : html`<gw-caps-refused .principalId=${id} .name=${name}></gw-caps-refused>`
    }
    <div class="section">
      <a href=${linkTo({ screen: 'principals', rest: [id] })}>View principal</a>
    </div>`;
}

type Part = Readonly<{ part: string; title: string; isSet: boolean }>;

function headOf({ part, title, isSet }: Part, at: RecordScreen, removal: () => Save) {
  const isWritable = at.isWritable();
  return html`<div class="section">
    <h3>${title}</h3>
    ${
      isWritable
        ? html`<a class="button" href=${at.link(at.rest[0] ?? '', part)}
            ><gw-icon name=${isSet ? 'pencil' : 'plus'}></gw-icon>${isSet ? 'Edit' : 'Set'}</a
          >`
        : nothing
    }
    ${
      isWritable && isSet
        ? html`<button
            type="button"
            aria-label="Delete the ${title.toLowerCase()}"
            @click=${() => at.ask(removal())}
          >
            <gw-icon name="trash-2"></gw-icon>Delete
          </button>`
        : nothing
    }
  </div>`;
}

const unlimited = (words: string) => html`<p class="quiet">Unlimited. ${words}</p>`;

function spent(budget: Budget) {
  const { calendar, window_start, window_end, alert_at_percent: alerts } = budget;
  const zone = calendar?.time_zone;
  return html`<div class="bars">
      ${moneyBar(budget, { stacked: true })} ${tokensBar(budget, { stacked: true })}
    </div>
    ${facts([
      ['Closest limit', nearerCap(budget)?.cap ?? 'none'],
      forecastFact(budget),
      ['Window', windowWords(budget)],
      ['Window started', knownMoment(window_start)],
      zone === undefined || window_end === null
        ? ['Window ends', knownMoment(window_end)]
        : ['Resets on', momentIn(window_end, zone)],
      ['Alerts at', `${[...alerts.filter((one) => one < 100), 100].join(', ')} %`],
    ])}`;
}

function forecastFact(budget: Budget): Fact | null {
  const now = Date.now();
  const forecast = isReadOnly() ? null : forecastOf(budget, now);
  if (forecast === null) return null;
  const { cap, usedUpAt } = forecast;
  const at =
    usedUpAt === null || usedUpAt <= now ? nothing : moment(new Date(usedUpAt).toISOString());
  return [
    'Forecast',
    html`${capital(cap)} ${forecastText(forecast, now)} ${at}
      <span class="quiet">${basisText(forecast)}</span>`,
  ];
}

const knownMoment = (at: string | null) =>
  at === null ? html`<span class="quiet">Unknown for past versions</span>` : moment(at);
