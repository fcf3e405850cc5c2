// Defines the screen of rate limits and budgets. Principals without either are not listed.

import { css, html, nothing } from 'lit';

import type { Budget } from '../api/records.ts';
import '../elements/badge.ts';
import '../elements/form/field.ts';
import type { FieldInput } from '../elements/form/field.ts';
import '../elements/time.ts';
import { capStates, capStateOf, nearerCap, shareText } from '../lib/access/budget.ts';
import { forecastOf, forecastText } from '../lib/access/forecast.ts';
import { windowWords } from '../lib/access/window.ts';
import { orNone, recordChoices } from '../lib/page/choices.ts';
import { adminCurl } from '../lib/saves/copy-as.ts';
import { formatNumber } from '../lib/text/format.ts';
import { moneyBar, tokensBar } from '../parts/budget.ts';
import { resourceScreen } from '../parts/resource-screen.ts';
import { byState } from '../parts/state-segments.ts';
import { isReadOnly } from '../state/as-of.ts';
import { openRest } from '../state/location.ts';
import { increaseFormOf } from './limits/increases.ts';
import { budgetFormOf, limitsFormOf } from './limits/form.ts';
import { isCapped, loadCapped } from './limits/load.ts';
import type { Capped } from './limits/load.ts';
import { capsRecord } from './limits/record.ts';

const unlimited = html`<span class="quiet">unlimited</span>`;
const rateCell = (value: number | null | undefined) =>
  value === null || value === undefined ? unlimited : formatNumber(value);

const forecastHelp = 'At the average rate since the window started';

/** Usage is unknown for past versions. */
const forecastNow = (budget: Budget | null) =>
  budget === null || isReadOnly() ? null : forecastOf(budget, Date.now());

function forecastCell(budget: Budget | null) {
  const forecast = forecastNow(budget);
  if (forecast === null) return '';
  const text = forecastText(forecast, Date.now());
  return forecast.usedUpAt === null
    ? text
    : html`<gw-badge tone=${text === 'used up' ? 'bad' : 'warn'}>${text}</gw-badge>`;
}

/** The id is the id of the principal. */
resourceScreen<Capped, Readonly<{ rows: readonly Capped[] }>>({
  screen: 'limits',
  about: 'Rate limits and budgets. Principals that are not listed have no limits.',
  noun: 'principal',
  add: 'Set limit',
  adding: 'Set limit',
  empty: {
    heading: 'No limits or budgets yet',
    about:
      'A budget limits what a principal spends in a window of time. A rate limit limits its requests or tokens per minute.',
    command: adminCurl({
      origin: globalThis.location.origin,
      method: 'PUT',
      path: '/admin/principals/1/budget',
      body: { window: 'monthly', cost_total_micros: 250_000_000 },
    }),
  },
  load: loadCapped,
  pollMs: 15_000,
  isListed: isCapped,
  columns: [
    { id: 'name', label: 'Principal', value: ({ name }) => name },
    {
      id: 'nearer',
      label: 'Closest limit',
      value: ({ budget }) => (budget === null ? null : (nearerCap(budget)?.share ?? null)),
      cell: ({ budget }) => {
        const nearer = budget === null ? null : nearerCap(budget);
        return nearer === null ? unlimited : `${nearer.cap}, ${shareText(nearer.share)}`;
      },
    },
    {
      id: 'money',
      label: 'Cost',
      value: ({ budget }) => budget?.cost_used_micros ?? null,
      cell: ({ budget }) => (budget === null ? unlimited : moneyBar(budget)),
    },
    {
      id: 'tokens',
      label: 'Tokens',
      value: ({ budget }) => budget?.tokens_used ?? null,
      cell: ({ budget }) => (budget === null ? unlimited : tokensBar(budget)),
    },
    {
      id: 'forecast',
      label: 'Forecast',
      help: forecastHelp,
      value: ({ budget }) => forecastNow(budget)?.share ?? null,
      cell: ({ budget }) => forecastCell(budget),
    },
    {
      id: 'window',
      label: 'Window',
      value: ({ budget }) => (budget === null ? null : windowWords(budget)),
    },
    {
      id: 'window_end',
      label: 'Window ends',
      value: ({ budget }) => budget?.window_end ?? null,
      cell: ({ budget }) =>
        typeof budget?.window_end === 'string'
          ? html`<gw-time at=${budget.window_end}></gw-time>`
          : '',
    },
    {
      id: 'requests_per_min',
      label: 'Requests/min',
      end: true,
      value: ({ limits }) => limits?.requests_per_min ?? null,
      cell: ({ limits }) => rateCell(limits?.requests_per_min),
    },
    {
      id: 'tokens_per_min',
      label: 'Tokens/min',
      end: true,
      value: ({ limits }) => limits?.tokens_per_min ?? null,
      cell: ({ limits }) => rateCell(limits?.tokens_per_min),
    },
    { id: 'id', label: 'Id', spare: true, end: true, value: ({ id }) => id },
  ],
  list: (rows, at) =>
    byState(
      {
        label: 'Principals by budget usage',
        states: capStates,
        rows,
        statesOf: ({ budget }) => [capStateOf(budget)],
      },
      at,
    ),
  form: (capped, _, { rows }) => (capped === null ? () => choiceOf(rows) : null),
  aspects: {
    limits: { prefix: 'Rate limits of ', form: limitsFormOf },
    budget: { prefix: 'Budget of ', form: budgetFormOf },
    increase: { prefix: 'Increase budget of ', form: increaseFormOf },
  },
  record: capsRecord,
  actions: () => nothing,
  logged: 'principal',
  styles: css`
    gw-drawer > .section:first-of-type {
      margin-top: 0;
    }

    .increases {
      display: grid;
      gap: var(--space-3);
      margin: 0;
      padding: 0;
      list-style: none;
    }

    .increases li {
      display: flex;
      flex-wrap: wrap;
      gap: var(--space-3);
      align-items: start;
      justify-content: space-between;
    }

    .bars {
      display: grid;
      gap: var(--space-4);
      margin-bottom: var(--space-3);
      padding: var(--space-4);
      border: 1px solid var(--line);
      border-radius: var(--radius-l);
    }
  `,
});

const choiceOf = (all: readonly Capped[]) =>
  html`<gw-field
    name="principal"
    label="Principal"
    type="select"
    required
    .choices=${orNone('Choose a principal', recordChoices(all))}
    @gw-input=${({ detail }: CustomEvent<FieldInput>) =>
      detail.value === '' ? undefined : openRest([detail.value])}
  ></gw-field>`;
