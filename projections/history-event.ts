// An event in the shape in which the history answers it, from the log in its database and from an export alike. Payloads hold refs into
// the vault in place of secrets and personal data, so nothing is left out.

import { eventMetadata } from '../events/event.ts';
import type { EventLine } from '../events/export-check.ts';

/** As it is stored: json is text, hashes are 64 hex digits. */
type Stored = Omit<EventLine, 'recorded_at'> & Readonly<{ recorded_at: Date | number }>;

/** Times are RFC 3339. `data` is as it was written at this schema; null when its owner has redacted it. */
export type HistoryEvent = ReturnType<typeof historyEventOf>;

export function historyEventOf({ metadata, payload, recorded_at, ...row }: Stored) {
  const { reason_ref: _ref, ...about } = eventMetadata.parse(JSON.parse(metadata));
  const data: unknown = payload === null ? null : JSON.parse(payload);
  return { ...row, recorded_at: new Date(recorded_at).toISOString(), ...about, data };
}
