// Formats events and differences for the command line.

import type { HistoryEvent } from '../../../projections/history-event.ts';

export const eventLine = ({ position, recorded_at, stream, type, data }: HistoryEvent): string =>
  `${position}  ${recorded_at}  ${stream}  ${type}  ${JSON.stringify(data)}`;

/** An entity, followed by its fields. */
type Difference = Readonly<{
  kind: string;
  id: number;
  name: string | null;
  change: string;
  fields: readonly Readonly<{ field: string; before?: unknown; after?: unknown }>[];
}>;

export const differenceLines = ({ kind, id, name, change, fields }: Difference): string[] => [
  `${change} ${kind} ${id}${name === null ? '' : ` ${JSON.stringify(name)}`}`,
  ...fields.map(
    ({ field, before, after }) =>
      `  ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
  ),
];
