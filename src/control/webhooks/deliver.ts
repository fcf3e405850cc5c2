// Sends the pending deliveries of one endpoint in order while this process has its turn.

import type { Dispatcher } from 'undici';

import type { Database } from '../../db/pool.ts';
import { recordAttempt } from '../../db/webhooks/deliveries.ts';
import { nextInTurn } from '../../db/webhooks/turns.ts';
import type { DueDelivery, Turn } from '../../db/webhooks/turns.ts';
import type { Clock } from '../../lib/clock.ts';
import type { WebhookFormat } from '../../lib/vocabulary.ts';
import { bodyOf } from '../../notifications/payloads.ts';
import { queuedOf } from './queued.ts';
import { post } from './send.ts';
import type { Sent } from './send.ts';
import { deliveryHeaders } from './signature.ts';

/** The address and the secrets of an endpoint. */
export type Destination = Readonly<{
  url: string;
  format: WebhookFormat;
  /** Signing secrets, the current one first. */
  secrets: readonly string[];
  /** The integration key of a PagerDuty service; null for other formats. */
  routingKey: string | null;
}>;

type Dependencies = Readonly<{
  db: Database;
  endpoints: Readonly<{ destination: (id: number) => Promise<Destination | null> }>;
  dispatcher: Dispatcher;
  clock: Clock;
  random: () => number;
  log: Readonly<{ warn: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
  turnMs: number;
  /** Stops before the next attempt. */
  signal: AbortSignal;
  onFailed: (endpointId: number) => void;
  timeoutMs?: number;
}>;

const timeoutDefaultMs = 10_000;
const errorCharactersMax = 500;

/**
 * Extends the turn before each attempt. Returns true when nothing is due or another process has the
 * turn, and false if the endpoint must not get a delivery now.
 */
export async function deliverInTurn(dependencies: Dependencies, turn: Turn): Promise<boolean> {
  const { db, endpoints, clock, turnMs, signal } = dependencies;
  while (!signal.aborted) {
    const destination = await endpoints.destination(turn.endpointId);
    if (destination === null) return false;
    const now = clock();
    const until = new Date(now + turnMs);
    const next = await nextInTurn(db, { ...turn, now: new Date(now), until });
    if (next === null) return true;
    const sent = await send(dependencies, destination, next);
    await conclude(dependencies, { turn, next, sent });
  }
  return true;
}

function send(
  { dispatcher, clock, timeoutMs = timeoutDefaultMs }: Dependencies,
  { url, format, secrets, routingKey }: Destination,
  { notificationId: id, ...stored }: DueDelivery,
): Promise<Sent> | Sent {
  const queued = queuedOf({ ...stored, id });
  if (queued === null) return { status: null, error: `unknown notification type ${stored.type}` };
  const body = bodyOf(format, queued, routingKey);
  const headers = deliveryHeaders({ id, now: clock(), body, secrets });
  return post(dispatcher, { url, headers, body, timeoutMs });
}

type Ended = Readonly<{ turn: Turn; next: DueDelivery; sent: Sent }>;

async function conclude(
  { db, clock, random, log, onFailed }: Dependencies,
  { turn: { endpointId }, next, sent }: Ended,
): Promise<void> {
  const now = clock();
  const due = now + retryDelayMs(next.attempts + 1, random());
  const isLast = now >= next.retryUntil.getTime();
  await recordAttempt(db, {
    id: next.id,
    at: new Date(now),
    status: sent.status,
    error: sent.error?.slice(0, errorCharactersMax).toWellFormed() ?? null,
    nextAttemptAt: sent.error === null || isLast ? null : new Date(due),
  });
  if (sent.error === null) return;
  onFailed(endpointId);
  // Omits the address, because the path of a webhook is often secret.
  const fields = { endpoint: endpointId, delivery: next.id, reason: sent.error };
  if (next.attempts === 0) log.warn(fields, 'a webhook did not accept a notification; retrying');
  if (isLast) log.warn(fields, 'a notification was given up, because its retries ended');
}

const firstDelayMs = 5_000;
const lastDelayMs = 15 * 60 * 1000;

/**
 * The wait after this many attempts: it doubles from 5 s to 15 min, and a random part of up to half
 * of it is left out. `random` is from 0 to 1.
 */
export function retryDelayMs(attempts: number, random: number): number {
  const delayMs = Math.min(firstDelayMs * 2 ** Math.min(attempts - 1, 20), lastDelayMs);
  return Math.round(delayMs * (1 - random / 2));
}
