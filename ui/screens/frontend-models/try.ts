// Asks the dry-run that fits: of what is published, of a version of the past, or behind calls that are proposed.

import { call } from '../../api/http/call.ts';
import type { DryRun } from '../../api/records.ts';
import type { Prepared } from '../../api/http/call.ts';
import { previewChangeSet } from '../../api/change-sets.ts';
import { triedCalls } from '../../lib/routing/dry-run.ts';
import type { Question } from '../../lib/routing/dry-run.ts';

export type Tried = Readonly<{
  /** What is published, or the version that was asked about. */
  standing: DryRun;
  /** Behind what is proposed on top of what is published, whatever stands beside it; null when nothing is. */
  proposed: DryRun | null;
}>;

type Asked = Readonly<{
  question: Question;
  prompt: string;
  /** Empty is what is published. */
  version: string;
  proposal: readonly Prepared[];
}>;

/** Rejects with an ApiFailure: also with what is wrong with the proposal. */
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
  // Only what stands finds the class of a prompt: the proposal is asked with the one that was found.
  const classed = { ...question, class: standing.class };
  const { body } = await previewChangeSet({ calls, dry_run: classed }, { signal });
  return { standing, proposed: body.dry_run };
}
