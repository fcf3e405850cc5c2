// What a request would come to, without making it.

import { call } from './call.ts';
import type { Change } from './call.ts';
import type { BodyOf } from './routes.ts';

export const dryRunRouting = (
  body: BodyOf<'POST', '/admin/routing/dry-run'>,
  change: Change = {},
) => call('POST', '/admin/routing/dry-run', { body, ...change });
