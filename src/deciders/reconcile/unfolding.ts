// Combines several decisions, each made on the state after the previous ones, into one. A command
// of many parts follows the same rules as its parts one by one.

import { parseStream, schemaOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { EventMetadata } from '../../../events/event.ts';
import { applyEvent, closeDraft, openDraft } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Decision } from '../decision.ts';

export type Unfolding = Readonly<{
  /** Valid until the next decision. */
  state: () => ConfigState;
  /** Null unless the decision is a refusal. */
  take: (decision: Decision) => Refusal | null;
  events: () => readonly GwEvent[];
}>;

export function createUnfolding(from: ConfigState): Unfolding {
  const draft = openDraft(from);
  const events: GwEvent[] = [];
  let state = closeDraft(draft);
  return {
    state: () => state,
    events: () => events,
    take: (decision) => {
      if (isRefusal(decision)) return decision;
      for (const event of decision) {
        const { noun, id } = parseStream(event.stream);
        const position = state.position + 1;
        const version = (state[noun].versions.get(id) ?? 0) + 1;
        applyEvent(draft, { ...event, ...unrecorded(event), position, version });
        state = closeDraft(draft);
        events.push(event);
      }
      return null;
    },
  };
}

/** Decisions never depend on these values, which only the log assigns. */
const unrecorded = ({ type }: GwEvent) => ({
  eventId: '',
  schema: schemaOf(type),
  txId: '',
  recordedAt: 0,
  metadata: noMetadata,
  hash: '',
});

const noMetadata: EventMetadata = {
  actor: { kind: 'system', principal_id: null },
  command: '',
  action: '',
  target: '',
  request_id: '',
  reason_ref: null,
  app_version: '',
  index: 0,
  count: 1,
};
