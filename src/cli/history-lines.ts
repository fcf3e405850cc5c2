// How the command line shows what is in the history.

import type { HistoryEvent } from '../control/history/events.ts';

export const eventLine = ({ position, recorded_at, stream, type, data }: HistoryEvent): string =>
  `${position}  ${recorded_at}  ${stream}  ${type}  ${JSON.stringify(data)}`;
