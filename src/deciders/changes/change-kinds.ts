// Maps each event to its kind of change, for the approval policy. Events without a kind need no
// approval: gw observed them, they remove something that is dangerous to keep (leaked keys are
// revoked at once), or they concern the log itself.

import { definitionOf, parseStream } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import { nouns } from '../../../events/nouns.ts';
import { changeKind } from '../../lib/vocabulary.ts';
import type { ChangeKind } from '../../lib/vocabulary.ts';

/** Setting one's own password is not a change of access. */
export function kindsOf(
  events: readonly GwEvent[],
  actor: number | null = null,
): readonly ChangeKind[] {
  const touched = new Set(
    events.map((event) => (isOwnPassword(event, actor) ? null : kindOf(event))),
  );
  return changeKind.options.filter((kind) => touched.has(kind));
}

function kindOf({ type, stream }: GwEvent): ChangeKind | null {
  const { change } = definitionOf(type);
  return change === undefined ? nouns[parseStream(stream).noun].change : change;
}

const isOwnPassword = (event: GwEvent, actor: number | null): boolean =>
  event.type === 'PrincipalPasswordSet' && event.data.id === actor;
