// Creates a priced model for browser tests, and reads its price.

import assert from 'node:assert/strict';

import { rows } from './records.ts';
import type { Server } from './server.ts';

/** Creates a model at 1 dollar, and returns its version. */
export async function pricedModel({ send }: Server): Promise<number> {
  const made = await send('POST', '/admin/provider-models', {
    name: 'engine',
    input_price_per_mtok: 1_000_000,
  });
  assert.equal(made.status, 200);
  return Number(made.headers.get('x-gw-snapshot-version'));
}

export const priceNow = async (server: Server): Promise<unknown> =>
  (await rows(server, '/admin/provider-models'))[0]?.['input_price_per_mtok'];
