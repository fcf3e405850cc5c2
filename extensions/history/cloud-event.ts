// Writes an event of the history as a CloudEvent in JSON (CloudEvents 1.0, cloudevents.io), which
// audit collectors accept.

import type { HistoryEvent } from '../../projections/history-event.ts';

/** `source` and `id` together identify the event. */
export type CloudEvent = Readonly<{
  specversion: '1.0';
  /** The position, in decimal digits. */
  id: string;
  /** A URI reference to the log. */
  source: string;
  type: string;
  /** The stream: `<kind>-<id>`. */
  subject: string;
  /** RFC 3339. */
  time: string;
  datacontenttype: 'application/json';
  data: HistoryEvent;
}>;

export const cloudEvent = (logId: string, event: HistoryEvent): CloudEvent => ({
  specversion: '1.0',
  id: String(event.position),
  source: `urn:uuid:${logId}`,
  type: event.type,
  subject: event.stream,
  time: event.recorded_at,
  datacontenttype: 'application/json',
  data: event,
});
