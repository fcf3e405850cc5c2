// Calls of change sets: several calls previewed or applied as one change.

import { call } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { DraftCall } from '../lib/changes/draft-calls.ts';
import type { BodyOf } from './http/routes.ts';

export const previewChangeSet = (
  body: BodyOf<'POST', '/admin/change-sets/preview'>,
  change: Change = {},
) => call('POST', '/admin/change-sets/preview', { body, ...change });

/** A reason is required, in the body or in `change`. */
export const applyChangeSet = (
  body: BodyOf<'POST', '/admin/change-sets/apply'>,
  change: Change = {},
) => call('POST', '/admin/change-sets/apply', { body, ...change });

/** Applies several calls in one version. `defaultReason` is used without another reason. */
export function applyCalls(
  calls: readonly DraftCall[],
  { defaultReason, ...change }: Change & Readonly<{ defaultReason: string }>,
): ReturnType<typeof applyChangeSet> {
  const hasReason = (change.reason ?? '') !== '';
  const body = { calls: calls.map((one) => Object.assign({}, one)) };
  return applyChangeSet(hasReason ? body : { ...body, reason: defaultReason }, change);
}
