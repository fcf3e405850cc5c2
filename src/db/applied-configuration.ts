// Reads from the log which resources the declarative files manage, and who has changed these since.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { settingsEvents } from '../../events/settings.ts';
import { integer, readRows, text, time } from './rows.ts';

const appliedRow = z.object({ position: integer, payload: text });

export type Applied = Readonly<{ position: number }> &
  z.output<(typeof settingsEvents)['ConfigurationApplied']['data']>;

/** In log order. The query names the stream because the log is indexed by stream, not by type. */
export async function appliedConfigurations(db: Queryable, after: number): Promise<Applied[]> {
  const rows = await readRows(db, appliedRow)`
    select position, payload::text as payload
    from es.events
    where stream = 'settings-1' and type = 'ConfigurationApplied' and payload is not null
      and position > ${after}
    order by position`;
  return rows.map(({ position, payload }) => {
    const data = settingsEvents.ConfigurationApplied.data.parse(JSON.parse(payload));
    return Object.assign(data, { position });
  });
}

/** `principal_id` is null for the command line and the system. */
const latestRow = z.object({
  stream: text,
  position: integer,
  type: text,
  recorded_at: time,
  principal_id: integer.nullable(),
});
export type LatestEvent = Readonly<z.output<typeof latestRow>>;

/** After the position `after`. */
export const latestEvents = (
  db: Queryable,
  { streams, after }: Readonly<{ streams: readonly string[]; after: number }>,
): Promise<LatestEvent[]> =>
  readRows(db, latestRow)`
    select distinct on (stream) stream, position, type, recorded_at,
      (metadata -> 'actor' ->> 'principal_id')::bigint as principal_id
    from es.events
    where stream = any(${[...streams]}) and position > ${after}
    order by stream, position desc`;
