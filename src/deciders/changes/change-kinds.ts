// Which kind of change each event is, for the approval policy. An event without a kind needs no approval: gw observed it, it takes away
// something that is dangerous to keep (a leaked key is revoked at once), or it concerns the log itself.

import { definitionOf, parseStream } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import { nouns } from '../../../events/nouns.ts';
import { changeKind } from '../../lib/vocabulary.ts';
import type { ChangeKind } from '../../lib/vocabulary.ts';

/** In the order of the closed list. A principal that sets its own password makes no change of access. */
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
