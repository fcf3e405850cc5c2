// Takes notifications: each goes to `--webhook-url` and into the outbox of webhook endpoints.

import type { Queryable } from '@databases/pg';

import { insertNotifications } from '../../db/webhooks/notifications.ts';
import type { NotificationRow } from '../../db/webhooks/notifications.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Queued } from '../../notifications/payloads.ts';
import type { Notification } from '../../notifications/types.ts';
import { noSingleUrl } from './single-url.ts';
import type { DeliveryCounts, SingleUrl } from './single-url.ts';

/** Sends a notification. Never fails and waits for nothing. */
export type Notify = (notification: Notification) => void;

/**
 * Sends notifications if the transaction commits. Rejects only if the statement fails; a full
 * outbox drops them and counts them.
 */
export type NotifyIn = (tx: Queryable, notifications: readonly Notification[]) => Promise<void>;

export type Notifier = Readonly<{
  notify: Notify;
  notifyIn: NotifyIn;
  /** The counts of `--webhook-url`. */
  counts: () => DeliveryCounts;
  /** The notifications of `notify`, for the outbox. */
  waiting: Waiting;
  /** Sends what was stored by `notifyIn` to `--webhook-url`. */
  passOn: (queued: Queued) => void;
  close: () => Promise<void>;
}>;

/** Notifications that are not in the database yet. */
export type Waiting = Readonly<{
  /** Removes and returns the oldest ones. */
  take: () => readonly NotificationRow[];
  /** Puts back those that could not be stored. */
  putBack: (rows: readonly NotificationRow[]) => void;
  /** The number of those that were never stored, because a queue was full. */
  dropped: () => number;
  /** Calls the listener when there is something to take. The last listener counts. */
  onNotified: (listener: () => void) => void;
}>;

/** The maximum number in memory, while the database is unavailable. */
const waitingMax = 1_000;
/** Stored in one statement. */
const takenMax = 100;

type Dependencies = Readonly<{ singleUrl: SingleUrl; clock: Clock; newId: () => string }>;

export function createNotifier({ singleUrl, clock, newId }: Dependencies): Notifier {
  const rows: NotificationRow[] = [];
  let dropped = 0;
  let listener: (() => void) | null = null;
  const bound = (): void => {
    dropped += rows.splice(waitingMax).length;
  };
  const queued = (notification: Notification): Queued => ({
    ...notification,
    id: newId(),
    at: notification.at ?? clock(),
  });
  return {
    notify: (notification) => {
      const one = queued(notification);
      singleUrl.send(one);
      rows.push(rowOf(one, { isPassedOn: true }));
      bound();
      listener?.();
    },
    notifyIn: async (tx, notifications) => {
      const stored = notifications.map((one) => rowOf(queued(one), { isPassedOn: false }));
      const isStored = await insertNotifications(tx, stored);
      if (!isStored) dropped += stored.length;
    },
    counts: singleUrl.counts,
    waiting: {
      take: () => rows.splice(0, takenMax),
      putBack: (given) => {
        rows.unshift(...given);
        bound();
      },
      dropped: () => dropped,
      onNotified: (next) => (listener = next),
    },
    passOn: singleUrl.send,
    close: singleUrl.close,
  };
}

const rowOf = (
  { id, type, at, data }: Queued,
  { isPassedOn }: Readonly<{ isPassedOn: boolean }>,
): NotificationRow => ({ id, type, at: new Date(at), data, is_passed_on: isPassedOn });

/** Sends nothing. */
export const noNotifier: Notifier = {
  notify: () => {},
  notifyIn: async () => {},
  counts: noSingleUrl.counts,
  waiting: { take: () => [], putBack: () => {}, dropped: () => 0, onNotified: () => {} },
  passOn: () => {},
  close: async () => {},
};
