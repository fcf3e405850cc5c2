// Folds the log of the database page by page.

import type { Queryable } from '@databases/pg';

import type { FoldedEvent } from '../events/catalogue.ts';
import { readFolded } from '../src/db/log/event-log.ts';
import { applyEvent, closeDraft, openDraft } from './config/state.ts';
import type { ConfigState } from './config/state.ts';

/** Pauses between pages, which take some 20 ms of CPU time each, so that other work proceeds. */
const pageEvents = 2000;

/**
 * `from` must not be later than `position`. Calls `onEvent` for each event. Throws if the log ends
 * before `position`, and a LogForkedError if the log does not contain the events of `from`.
 */
export async function foldStateTo(
  db: Queryable,
  from: ConfigState,
  position: number,
  onEvent: (event: FoldedEvent) => void = () => {},
): Promise<ConfigState> {
  const draft = openDraft(from);
  if (draft.position === position) return from;
  const after = { position: from.position, hash: from.hash };
  for await (const events of readFolded(db, { after, to: position, pageEvents })) {
    for (const event of events) {
      applyEvent(draft, event);
      onEvent(event);
    }
  }
  if (draft.position < position) {
    throw new Error(`the log ends at ${draft.position}, before position ${position}`);
  }
  return closeDraft(draft);
}
