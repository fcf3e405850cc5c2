// Formats a mutation for the history, from the audit log or an export: actor, time, action, reason,
// and the snapshot versions before and after.

import type { EventMetadata } from '../events/event.ts';

type Facts = Readonly<{
  /** The position of its last event. */
  id: number;
  actor_id: number | null;
  action: string;
  target: string;
  command: string;
  /** The position of its first event. */
  stream: string;
  tx_id: string;
  actor_kind: EventMetadata['actor']['kind'];
  request_id: string;
  first_position: number;
  event_count: number;
}>;

type About = Readonly<{
  /** The name at that time; null if it was erased. */
  actor_name: string | null;
  /** Null if no reason was given or it was erased. */
  reason: string | null;
  reason_erased: boolean;
  /** Equal if the command did not change the snapshot; 0 means that there was none. */
  version_before: number;
  version_after: number;
}>;

export type HistoryCommand = Facts & Readonly<{ at: string }> & About;

export const historyCommandOf = (
  { id, actor_id, action, target, command, stream, ...facts }: Facts,
  at: Date | number,
  about: About,
): HistoryCommand => {
  const { tx_id, actor_kind, request_id, first_position, event_count } = facts;
  const what = { id, actor_id, action, target, command, stream };
  const how = { tx_id, actor_kind, request_id, first_position, event_count };
  return { ...what, ...how, at: new Date(at).toISOString(), ...about };
};
