// Reads a notification from its row.

import { isNotificationType } from '../../notifications/types.ts';
import type { Queued } from '../../notifications/payloads.ts';

type Stored = Readonly<{ type: string; at: Date; data: unknown }>;

/** Null for a type that only a newer release knows. */
export function queuedOf(row: Stored & Readonly<{ id: string }>): Queued | null;
export function queuedOf({ id, type, at, data }: Stored & Readonly<{ id: string }>): unknown {
  return isNotificationType(type) ? { id, type, at: at.getTime(), data } : null;
}
