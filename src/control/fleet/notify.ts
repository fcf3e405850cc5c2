// Sends notifications to the operator's webhook (specification, "Events"): one attempt each, in
// order, from a small queue. Lost notifications are counted, and nothing waits for delivery.

import { createHmac } from 'node:crypto';

import type { Dispatcher } from 'undici';
import { request } from 'undici';

import type { AlarmRow } from '../../db/log/log-alarms.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Transition } from './fleet-transitions.ts';

/**
 * `replica` is the control process that could not publish, `consecutive` the number of consecutive
 * failures.
 */
export type Notice =
  | Transition
  | Readonly<{
      event: 'snapshot_rebuild_failed';
      replica: string;
      error: string;
      consecutive: number;
    }>
  /** A signed note, to be stored outside of the database. */
  | Readonly<{ event: 'log_checkpoint'; position: number; checkpoint: string }>
  /** The log was modified outside of gw (log/alarms.ts). */
  | (Readonly<{ event: 'log_alarm' }> & Omit<AlarmRow, 'raised_at'>);

export type NoticeCounts = Readonly<{
  delivered: number;
  failed: number;
  /** Dropped before any attempt, because the queue was full or the process stopped. */
  dropped: number;
}>;

export type Notifier = Readonly<{
  notify: (notice: Notice) => void;
  counts: () => NoticeCounts;
  /** Waits for the attempt in progress and drops the queue. */
  close: () => Promise<void>;
}>;

const queuedMax = 64;
const timeoutMs = 5_000;

type Dependencies = Readonly<{
  url: string;
  /** Signs each body. Null sends them unsigned. */
  secret: string | null;
  dispatcher: Dispatcher;
  clock: Clock;
  newId: () => string;
  log: Readonly<{ warn: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  /** For tests. */
  timeoutMs?: number;
}>;

export function createNotifier(dependencies: Dependencies): Notifier {
  const { clock, newId, log } = dependencies;
  const queue: string[] = [];
  const counts = { delivered: 0, failed: 0, dropped: 0 };
  let sending: Promise<void> | null = null;
  let isClosed = false;

  const drop = (count: number): void => {
    counts.dropped += count;
  };
  const sendAll = async (): Promise<void> => {
    for (let body = queue.shift(); body !== undefined; body = queue.shift()) {
      const failure = await deliver(dependencies, body);
      if (failure === null) counts.delivered += 1;
      else {
        counts.failed += 1;
        // Omits the address, because the path of a webhook is often secret.
        log.warn({ reason: failure }, 'a notification was not delivered');
      }
    }
    sending = null;
  };

  return {
    notify: (notice) => {
      if (isClosed || queue.length >= queuedMax) return drop(1);
      const at = new Date(clock()).toISOString();
      queue.push(JSON.stringify({ id: newId(), at, ...notice }));
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

export const noNotifier: Notifier = {
  notify: () => {},
  counts: () => ({ delivered: 0, failed: 0, dropped: 0 }),
  close: async () => {},
};

/**
 * Returns the cause of a failure, or null. Follows no redirects and does not read the response
 * body.
 */
async function deliver(dependencies: Dependencies, body: string): Promise<string | null> {
  const { url, secret, dispatcher } = dependencies;
  const signature = secret === null ? {} : { 'x-gw-signature': signatureOf(body, secret) };
  try {
    const answer = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signature },
      body,
      signal: AbortSignal.timeout(dependencies.timeoutMs ?? timeoutMs),
    });
    // A truncated body emits an error, which would end the process without a listener.
    answer.body.on('error', () => undefined).destroy();
    const { statusCode } = answer;
    return statusCode >= 200 && statusCode < 300 ? null : `status ${statusCode}`;
  } catch (error) {
    return reasonOf(error);
  }
}

const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
