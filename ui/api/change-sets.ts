// Several calls as one change: what they come to, and made at one version.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { DraftCall } from '../lib/changes/change-request.ts';
import type { BodyOf } from './http/routes.ts';

export const previewChangeSet = (
  body: BodyOf<'POST', '/admin/change-sets/preview'>,
  change: Change = {},
) => call('POST', '/admin/change-sets/preview', { body, ...change });

/** A reason is needed, in the body or in `change`. */
export const applyChangeSet = (
  body: BodyOf<'POST', '/admin/change-sets/apply'>,
  change: Change = {},
) => call('POST', '/admin/change-sets/apply', { body, ...change });

/** Several calls as one change, at one version; `said` is the reason where the person gives none. */
export function applyCalls(
  calls: readonly DraftCall[],
  { said, ...change }: Change & Readonly<{ said: string }>,
): ReturnType<typeof applyChangeSet> {
  const isSaid = (change.reason ?? '') !== '';
  const body = { calls: calls.map((one) => Object.assign({}, one)) };
  return applyChangeSet(isSaid ? body : { ...body, reason: said }, change);
}
