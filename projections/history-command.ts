// A command in the shape in which the history answers it, from the audit log and from an export alike: one row a mutation, with who, when,
// what, why, and the snapshot versions around it.

import type { EventMetadata } from '../events/event.ts';

type Facts = Readonly<{
  /** The position of its last event. */
  id: number;
  actor_id: number | null;
  action: string;
  target: string;
  command: string;
  /** That of its first event. */
  stream: string;
  tx_id: string;
  actor_kind: EventMetadata['actor']['kind'];
  request_id: string;
  first_position: number;
  event_count: number;
}>;

type About = Readonly<{
  /** As the actor was called then; null when the name was erased. */
  actor_name: string | null;
  /** Null when none was given, or when it was erased. */
  reason: string | null;
  reason_erased: boolean;
  /** Equal when the command left the snapshot as it was; 0 is none. */
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
