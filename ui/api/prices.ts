// Prices of models, as public lists have them.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf } from './http/routes.ts';

export const syncPrices = (body: BodyOf<'POST', '/admin/prices/sync'>, change: Change = {}) =>
  call('POST', '/admin/prices/sync', { body, ...change });
