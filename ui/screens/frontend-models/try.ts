// Runs a dry run against the published configuration, a past version, or proposed changes.

import { call } from '../../api/http/call.ts';
import type { DryRun } from '../../api/records.ts';
import type { Prepared } from '../../api/http/call.ts';
import { previewChangeSet } from '../../api/change-sets.ts';
import { triedCalls } from '../../lib/routing/dry-run.ts';
import type { Question } from '../../lib/routing/dry-run.ts';

export type Tried = Readonly<{
  /** The published configuration, or the selected version. */
  standing: DryRun;
  /** The published configuration with the proposed changes; null if there are none. */
  proposed: DryRun | null;
}>;

type Asked = Readonly<{
  question: Question;
  prompt: string;
  /** Empty for the published configuration. */
  version: string;
  proposal: readonly Prepared[];
}>;

/** Rejects with an ApiFailure, also if the proposal is invalid. */
export async function tryRoute(asked: Asked, signal: AbortSignal): Promise<Tried> {
  const { question, version, proposal } = asked;
  const prompt = asked.prompt.trim() === '' ? null : asked.prompt;
  const { body: standing } =
    version === ''
      ? await call('POST', '/admin/routing/dry-run', { body: { ...question, prompt }, signal })
      : await call('POST', '/admin/snapshots/{version}/dry-run', {
          params: { version },
          body: question,
          signal,
        });
  const calls = triedCalls(proposal);
  if (calls.length === 0) return { standing, proposed: null };
  // Only the published configuration can classify a prompt, so the proposal gets the class from it.
  const classed = { ...question, class: standing.class };
  const { body } = await previewChangeSet({ calls, dry_run: classed }, { signal });
  return { standing, proposed: body.dry_run };
}
