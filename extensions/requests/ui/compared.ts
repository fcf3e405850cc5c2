// Draws the filters of the group that the shown requests are compared with.

import { html } from 'lit';

import type { UsageEvent } from '../../../ui/api/records.ts';
import { changeQuery } from '../../../ui/state/location.ts';
import './chips.ts';
import { shifts, writeCompared } from './load.ts';
import type { Compared } from './load.ts';

type Parts = Readonly<{ compared: Compared; rows: readonly UsageEvent[] }>;

export function comparedRow({ compared, rows }: Parts) {
  const change = (to: Partial<Compared>): void =>
    changeQuery({ vs: writeCompared({ ...compared, ...to }) });
  return html`<div class="versus">
    <label
      >Compared with
      <select
        @change=${({ target }: Event) => {
          const chosen = target instanceof HTMLSelectElement ? target.value : '';
          change({ shift: shifts.find(({ value }) => value === chosen)?.value ?? '' });
        }}
      >
        ${shifts.map(
          ({ value, label }) =>
            html`<option value=${value} ?selected=${value === compared.shift}>${label}</option>`,
        )}
      </select></label
    >
    <gw-request-filters
      label="Filters of the compared requests"
      .query=${compared.filter}
      .rows=${rows}
      @gw-filter=${({ detail }: CustomEvent<Record<string, string | null>>) =>
        change({ filter: changed(compared.filter, detail) })}
    ></gw-request-filters>
  </div>`;
}

const changed = (
  query: Compared['filter'],
  change: Readonly<Record<string, string | null>>,
): Compared['filter'] =>
  Object.fromEntries(
    Object.entries({ ...query, ...change }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    ),
  );
