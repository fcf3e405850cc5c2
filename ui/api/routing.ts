// What a request would come to, without making it: by what is published, by a version of the past, or behind changes that nobody has
// made yet.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { AnswerOf, BodyOf } from './http/routes.ts';

export type DryRun = AnswerOf<'POST', '/admin/routing/dry-run'>;

export const dryRunRouting = (
  body: BodyOf<'POST', '/admin/routing/dry-run'>,
  change: Change = {},
) => call('POST', '/admin/routing/dry-run', { body, ...change });

/** `version` may be a time, too. */
export const dryRunVersion = (
  version: string,
  body: BodyOf<'POST', '/admin/snapshots/{version}/dry-run'>,
  change: Change = {},
) => call('POST', '/admin/snapshots/{version}/dry-run', { params: { version }, body, ...change });
