// Notifications to the operator's webhook (specification, "Events"): one attempt each, in order, from a small queue. What is lost
// is counted, and nothing waits for it.

import { createHmac } from 'node:crypto';

import type { Dispatcher } from 'undici';
import { request } from 'undici';

import type { AlarmRow } from '../../db/log/log-alarms.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Transition } from './fleet-transitions.ts';

/** `replica` of a failed rebuild is the control process that could not publish; `consecutive` counts failures in a row. */
export type Notice =
  | Transition
  | Readonly<{
      event: 'snapshot_rebuild_failed';
      replica: string;
      error: string;
      consecutive: number;
    }>
  /** A signed note of the log, to be kept where the log is not. */
  | Readonly<{ event: 'log_checkpoint'; position: number; checkpoint: string }>
  /** The log was changed behind the program's back (log/alarms.ts). */
  | (Readonly<{ event: 'log_alarm' }> & Omit<AlarmRow, 'raised_at'>);

export type NoticeCounts = Readonly<{
  delivered: number;
  failed: number;
  /** Never attempted, because the queue was full or the process ended. */
  dropped: number;
}>;

export type Notifier = Readonly<{
  notify: (notice: Notice) => void;
  counts: () => NoticeCounts;
  /** Waits for the attempt that is under way, and drops what is queued. */
  close: () => Promise<void>;
}>;

const queuedMax = 64;
const timeoutMs = 5_000;

type Dependencies = Readonly<{
  url: string;
  /** Signs each body; null sends them unsigned. */
  secret: string | null;
  /** Judges the address as it does every other. */
  dispatcher: Dispatcher;
  clock: Clock;
  newId: () => string;
  log: Readonly<{ warn: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  /** For tests; the specification's when absent. */
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
        // Not the address: the path of a webhook is often its secret.
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

/** Nothing is notified where there is no webhook. */
export const noNotifier: Notifier = {
  notify: () => {},
  counts: () => ({ delivered: 0, failed: 0, dropped: 0 }),
  close: async () => {},
};

/** Why it failed, or null. Redirects are not followed, and the answer's body is not read. */
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
    // A body that is cut short reports it; without a listener that would end the process.
    answer.body.on('error', () => undefined).destroy();
    const { statusCode } = answer;
    return statusCode >= 200 && statusCode < 300 ? null : `status ${statusCode}`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Over the bytes of the body, as the receiver gets them. */
const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
