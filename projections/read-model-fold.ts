// The fold over the log in the database, page by page.

import type { Queryable } from '@databases/pg';

import type { FoldedEvent } from '../events/catalogue.ts';
import { readFolded } from '../src/db/log/event-log.ts';
import { applyEvent, closeDraft, openDraft } from './config/state.ts';
import type { ConfigState } from './config/state.ts';

/** Between two pages, some 20 ms of a core each, others are served. */
const pageEvents = 2000;

/**
 * The state at `position`, folded on from `from`, which is not later. `onEvent` is told of each event folded. Throws when the log
 * ends before `position`, and a LogForkedError when it does not hold what `from` was folded from.
 */
export async function foldStateTo(
  db: Queryable,
  from: ConfigState,
  position: number,
  onEvent: (event: FoldedEvent) => void = () => {},
): Promise<ConfigState> {
  const draft = openDraft(from);
  while (draft.position < position) {
    const limit = Math.min(pageEvents, position - draft.position);
    const events = await readFolded(db, { after: draft, limit });
    if (events.length === 0) {
      throw new Error(`the log ends at ${draft.position}, before position ${position}`);
    }
    for (const event of events) {
      applyEvent(draft, event);
      onEvent(event);
    }
  }
  return closeDraft(draft);
}
