// Reads every version of the prices of models from the log.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readEvent } from '../../../../events/catalogue.ts';
import { integer, readRows, text, time } from '../../rows.ts';

const pricedRow = z.object({ stream: text, schema: integer, payload: text, recorded_at: time });

/** The events that set the prices of these models, oldest first. The first of a model is version 1. */
export async function pricesSet(db: Queryable, streams: readonly string[]) {
  const rows = await readRows(db, pricedRow)`
    select stream, schema, payload::text as payload, recorded_at from es.events
    where type = 'ModelPriced' and stream = any(${[...streams]}::text[]) order by position`;
  return rows.flatMap(({ stream, schema, payload, recorded_at: at }) => {
    const event = readEvent({ stream, type: 'ModelPriced', schema, data: JSON.parse(payload) });
    return event.type === 'ModelPriced' ? [{ data: event.data, atMs: at.getTime() }] : [];
  });
}
