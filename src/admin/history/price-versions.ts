// Serves the versions of a model's prices, read-only.

import { z } from 'zod';

import { absent } from '../../../projections/config/find.ts';
import { priceHistory } from '../../control/prices/price-history.ts';
import type { HistoricPrices } from '../../control/prices/price-history.ts';
import { modelFields } from '../../fields/model.ts';
import { shapeOf } from '../../fields/schemas.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import { timestamp } from '../../lib/fields.ts';
import { modelId } from '../../lib/ids.ts';
import { idIn } from '../http/fields.ts';
import { none, route } from '../http/route.ts';
import type { HistoryNeeds } from './needs.ts';

const { input_price_per_mtok, output_price_per_mtok, price_card } = shapeOf(modelFields, 'record');

const priceVersionRecord = z.object({
  /** The version that usage rows name. */
  version: z.int(),
  /** `replaced` prices never applied: a later change took effect first. */
  state: z.enum(['scheduled', 'current', 'past', 'replaced']),
  /** When the prices apply. */
  effective_from: timestamp,
  set_at: timestamp,
  /** The position of the event in the log. */
  position: z.int(),
  /** The id of the mutation in the history. Null if it is unknown. */
  command_id: z.int().nullable(),
  /** Null if the name was erased. */
  actor_name: z.string().nullable(),
  actor_kind: z.string().nullable(),
  reason: z.string().nullable(),
  input_price_per_mtok,
  output_price_per_mtok,
  price_card,
});

const toRecord = (one: HistoricPrices): z.input<typeof priceVersionRecord> => ({
  version: one.version,
  state: one.state,
  effective_from: toRfc3339(one.fromMs),
  set_at: toRfc3339(one.setAtMs),
  position: one.position,
  command_id: one.command?.id ?? null,
  actor_name: one.command?.actor_name ?? null,
  actor_kind: one.command?.actor_kind ?? null,
  reason: one.command?.reason ?? null,
  input_price_per_mtok: one.input,
  output_price_per_mtok: one.output,
  price_card: one.card,
});

export const priceVersionRoutes = [
  route({
    method: 'GET',
    path: '/admin/provider-models/{id}/prices',
    operation: 'listPriceVersions',
    permission: 'usage:read',
    summary: 'List the last 50 versions of the prices of a provider model, newest first',
    refusals: ['absent'],
    params: idIn(modelId),
    query: none,
    body: none,
    response: z.array(priceVersionRecord),
    handle: async ({ params: { id } }, { config }, { db, vault, clock }: HistoryNeeds) => {
      await config.refresh();
      if (!config.state().model.byId.has(id)) return absent('model', id);
      return { body: (await priceHistory({ db, vault }, id, clock())).map(toRecord) };
    },
  }),
] as const;
