// How the command line shows what is in the history.

import type { HistoryEvent } from '../../../projections/history-event.ts';

export const eventLine = ({ position, recorded_at, stream, type, data }: HistoryEvent): string =>
  `${position}  ${recorded_at}  ${stream}  ${type}  ${JSON.stringify(data)}`;

/** Of an entity, its fields beneath it. */
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
