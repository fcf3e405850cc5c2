// Draws filters by state for a list, each with its number of rows.

import { html } from 'lit';

import '../elements/segments.ts';
import type { RecordScreen } from './record-screen.ts';

type Parted<Row> = Readonly<{
  label: string;
  states: readonly Readonly<{ value: string; label: string }>[];
  rows: readonly Row[];
  statesOf: (row: Row) => readonly (string | null | undefined)[];
}>;

/** The rows in the state that the address selects, and the filters. */
export function byState<Row>({ label, states, rows, statesOf }: Parted<Row>, at: RecordScreen) {
  const { state: chosen = '' } = at.query;
  const rowsIn = (value: string): readonly Row[] =>
    value === '' ? rows : rows.filter((row) => statesOf(row).includes(value));
  const segments = [{ value: '', label: 'all' }, ...states].map((one) => ({
    value: one.value,
    label: one.label,
    count: rowsIn(one.value).length,
    href: at.viewLink({ state: one.value }),
  }));
  return {
    rows: rowsIn(chosen),
    bar: html`<gw-segments
      slot="bar"
      label=${label}
      .segments=${segments}
      chosen=${chosen}
    ></gw-segments>`,
  };
}
