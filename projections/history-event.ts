// Formats an event for the history, from the log in the database or an export. Payloads contain
// vault refs instead of secrets and personal data, so nothing is left out.

import { eventMetadata } from '../events/event.ts';
import type { EventLine } from '../events/export-check.ts';

/** json is text; hashes are 64 hex digits. */
type Stored = Omit<EventLine, 'recorded_at'> & Readonly<{ recorded_at: Date | number }>;

/** Times are RFC 3339. `data` is in its stored schema version; null if the owner redacted it. */
export type HistoryEvent = ReturnType<typeof historyEventOf>;

export function historyEventOf({ metadata, payload, recorded_at, ...row }: Stored) {
  const { reason_ref: _ref, ...about } = eventMetadata.parse(JSON.parse(metadata));
  const data: unknown = payload === null ? null : JSON.parse(payload);
  return { ...row, recorded_at: new Date(recorded_at).toISOString(), ...about, data };
}
