// Says what is wrong with the archive of usage.

import { formatCount } from '../../../ui/lib/text/format.ts';

type State = Readonly<{
  pending_hours: number;
  pending_corrections: number;
  first_pending_hour: string | null;
  failed_hours: number;
  failure: string | null;
  other_places: readonly string[];
}>;

export function problemsOf(state: State): readonly string[] {
  const { pending_hours: pending, failed_hours: failed, other_places: others } = state;
  const problems: string[] = [];
  if (pending > 0) {
    const hours = formatCount(pending, 'hour');
    problems.push(
      `${hours} should be in the archive and are not, from ${state.first_pending_hour}.`,
    );
  }
  if (failed > 0) {
    problems.push(
      `${formatCount(failed, 'hour')} could not be archived or verified: ${state.failure}.`,
    );
  }
  if (others.length > 0) {
    problems.push(
      `Some control processes have other settings, which are not used: ${others.join(', ')}. ` +
        'Set the same archive on all of them.',
    );
  }
  return problems;
}
