// Prices of models, as public lists have them.

import { call } from './call.ts';
import type { Change } from './call.ts';
import type { BodyOf } from './routes.ts';

export const syncPrices = (body: BodyOf<'POST', '/admin/prices/sync'>, change: Change = {}) =>
  call('POST', '/admin/prices/sync', { body, ...change });
