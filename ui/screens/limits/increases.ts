// Draws the temporary increases of a budget, and builds their saves.

import { html, nothing } from 'lit';

import { calling } from '../../api/http/call.ts';
import type { Budget } from '../../api/records.ts';
import { blankIncrease, readIncrease } from '../../lib/access/increase-draft.ts';
import type { IncreaseBody, IncreaseDraft } from '../../lib/access/increase-draft.ts';
import { whenRead } from '../../lib/saves/draft.ts';
import type { Save } from '../../lib/saves/save.ts';
import { formatMoney, formatNumber } from '../../lib/text/format.ts';
import { recordForm } from '../../parts/form-as-data.ts';
import type { FormRow } from '../../parts/form-rows.ts';
import type { RecordScreen } from '../../parts/record-screen.ts';
import { zone } from '../../state/preferences.ts';
import type { Capped } from './load.ts';

type Increase = Budget['increases'][number];

const fields = (zoneName: string): readonly FormRow<IncreaseDraft>[] => [
  {
    pair: [
      { name: 'cost_micros', label: 'More cost, in US dollars' },
      { name: 'tokens', label: 'More tokens' },
    ],
  },
  {
    name: 'reason',
    label: 'Reason',
    hint: 'Shown on the budget and in the history',
    required: true,
  },
  {
    pair: [
      {
        name: 'starts_at',
        label: 'From',
        type: 'datetime-local',
        hint: `In ${zoneName}. Leave empty to start at once`,
      },
      {
        name: 'ends_at',
        label: 'Until',
        type: 'datetime-local',
        hint: `In ${zoneName}. The increase ends by itself`,
        required: true,
      },
    ],
  },
];

export const increaseFormOf = (capped: Capped) =>
  recordForm({
    draft: blankIncrease,
    fields: () => fields(zone.get() === 'utc' ? 'UTC' : 'local time'),
    save: (draft) => whenRead(readIncrease(draft, zone.get()), (body) => increaseOf(capped, body)),
  });

export const increaseOf = ({ id, name, version }: Capped, body: IncreaseBody): Save => ({
  heading: `Increase budget of ${name}`,
  verb: 'Increase budget',
  done: `Budget of ${name} increased`,
  about: 'Adds to the caps until the increase ends. Several increases add up.',
  before: {},
  after: { ...body, starts_at: body.starts_at ?? 'now' },
  run: calling('POST', '/admin/principals/{id}/budget/increases', {
    params: { id },
    body,
    version,
  }),
});

export const increaseRemovalOf = ({ id, name, version }: Capped, increase: Increase): Save => ({
  heading: `Remove increase of ${name}`,
  verb: 'Remove increase',
  done: `Increase of ${name} removed`,
  about: 'The caps are lower from the next request on.',
  before: { ...increase },
  after: null,
  danger: true,
  run: calling('DELETE', '/admin/principals/{id}/budget/increases/{increase}', {
    params: { id, increase: increase.id },
    version,
  }),
});

const amountOf = ({ cost_micros, tokens }: Increase): string =>
  [
    ...(cost_micros === null ? [] : [`+ ${formatMoney(cost_micros)}`]),
    ...(tokens === null ? [] : [`+ ${formatNumber(tokens)} tokens`]),
  ].join(', ');

export function increasesOf(capped: Capped, at: RecordScreen) {
  const { id, budget } = capped;
  if (budget === null) return nothing;
  const isWritable = at.isWritable();
  if (budget.increases.length === 0 && !isWritable) return nothing;
  return html`<div class="section">
      <h3>Temporary increases</h3>
      ${
        isWritable
          ? html`<a class="button" href=${at.link(id, 'increase')}
              ><gw-icon name="plus"></gw-icon>Increase</a
            >`
          : nothing
      }
    </div>
    ${
      budget.increases.length === 0
        ? html`<p class="quiet">No increases. Add one to raise the caps until a time.</p>`
        : html`<ul class="increases">
            ${budget.increases.map((one) => increaseRow(capped, one, at))}
          </ul>`
    }`;
}

const increaseRow = (capped: Capped, one: Increase, at: RecordScreen) =>
  html`<li>
    <span>
      <strong>${amountOf(one)}</strong><br />
      <span>${one.reason ?? 'Reason erased'}</span><br />
      <span class="quiet">
        <gw-time absolute at=${one.starts_at}></gw-time> –
        <gw-time absolute at=${one.ends_at}></gw-time>
      </span>
    </span>
    ${
      at.isWritable()
        ? html`<button
            type="button"
            aria-label="Remove the increase ${amountOf(one)}"
            @click=${() => at.ask(increaseRemovalOf(capped, one))}
          >
            <gw-icon name="trash-2"></gw-icon>Remove
          </button>`
        : nothing
    }
  </li>`;
