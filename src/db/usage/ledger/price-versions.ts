// Reads every version of the prices of models from the log.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { readEvent } from '../../../../events/catalogue.ts';
import { integer, readRows, text, time } from '../../rows.ts';

const pricedRow = z.object({
  position: integer,
  tx_id: text,
  stream: text,
  type: z.enum(['ModelCreated', 'ModelPriced']),
  version: integer,
  schema: integer,
  payload: text,
  recorded_at: time,
});

/** The events that created these models or set their prices, oldest first. */
export async function pricesSet(db: Queryable, streams: readonly string[]) {
  const rows = await readRows(db, pricedRow)`
    select position, tx_id, stream, type, version, schema, payload::text as payload, recorded_at
    from es.events
    where type in ('ModelCreated', 'ModelPriced') and stream = any(${[...streams]}::text[])
    order by position`;
  return rows.flatMap(({ position, tx_id: txId, recorded_at: at, ...row }) => {
    const { stream, type, version, schema, payload } = row;
    const event = readEvent({ stream, type, schema, data: JSON.parse(payload) });
    const isOfPrices = event.type === 'ModelPriced' || event.type === 'ModelCreated';
    return isOfPrices ? [{ event, version, atMs: at.getTime(), position, txId }] : [];
  });
}
