// Sends notifications to `--webhook-url` (specification, "Events"): one attempt each, in order, from
// a small queue in memory. Lost notifications are counted, and nothing waits for delivery.

import type { Dispatcher } from 'undici';

import type { Queued } from '../../notifications/payloads.ts';
import { post } from './send.ts';
import { bodySignature } from './signature.ts';

export type DeliveryCounts = Readonly<{
  delivered: number;
  failed: number;
  /** Dropped before any attempt, because the queue was full or the process stopped. */
  dropped: number;
}>;

export type SingleUrl = Readonly<{
  send: (queued: Queued) => void;
  counts: () => DeliveryCounts;
  /** Waits for the attempt in progress and drops the queue. */
  close: () => Promise<void>;
}>;

const queuedMax = 64;
const timeoutDefaultMs = 5_000;

type Dependencies = Readonly<{
  url: string;
  /** Signs each body. Null sends them unsigned. */
  secret: string | null;
  dispatcher: Dispatcher;
  log: Readonly<{ warn: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  /** For tests. */
  timeoutMs?: number;
}>;

export function createSingleUrl(dependencies: Dependencies): SingleUrl {
  const { url, secret, dispatcher, log, timeoutMs = timeoutDefaultMs } = dependencies;
  const queue: string[] = [];
  const counts = { delivered: 0, failed: 0, dropped: 0 };
  let sending: Promise<void> | null = null;
  let isClosed = false;

  const drop = (count: number): void => {
    counts.dropped += count;
  };
  const sendAll = async (): Promise<void> => {
    for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
      const headers: Readonly<Record<string, string>> =
        secret === null ? {} : { 'x-gw-signature': bodySignature(body, secret) };
      const { error } = await post(dispatcher, { url, headers, body, timeoutMs });
      if (error === null) counts.delivered += 1;
      else {
        counts.failed += 1;
        log.warn({ reason: error }, 'a notification was not delivered');
      }
    }
    sending = null;
  };

  return {
    send: ({ id, at, type, data }) => {
      if (isClosed || queue.length >= queuedMax) return drop(1);
      const body = { id, at: new Date(at).toISOString(), event: type, ...data };
      queue.push(JSON.stringify(body));
      sending ??= sendAll();
    },
    counts: () => ({ ...counts }),
    close: async () => {
      isClosed = true;
      drop(queue.splice(0).length);
      await sending;
    },
  };
}

/** Used if `--webhook-url` is not set. */
export const noSingleUrl: SingleUrl = {
  send: () => {},
  counts: () => ({ delivered: 0, failed: 0, dropped: 0 }),
  close: async () => {},
};
