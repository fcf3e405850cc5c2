// Brings usage rows to the control plane in batches. Requests never wait for it: a full queue
// drops the row and counts it. A batch that failed is sent again with the same ids, so that it
// counts once. With a spool, what cannot be delivered goes to disk, and from there in its turn.

import type { Log } from '../../telemetry/log.ts';
import type { Counts } from '../../telemetry/metrics.ts';
import { usageBatchMax } from '../../usage/usage-event.ts';
import type { UsageEvent } from '../../usage/usage-event.ts';
import type { UsageSink } from '../meter.ts';
import type { SpooledBatch, UsageSpool } from '../spool.ts';
import type { ControlClient } from './client.ts';

const queuedMaxDefault = 10_000;
const flushMsDefault = 5000;
/** With a spool: what is in memory alone is about as old at most. */
const spoolMsDefault = 1000;
const closeMsDefault = 5000;
/** A batch that was refused so often in a row is dropped: it is itself what fails. */
const refusalsMax = 20;
/** Refusals of what is in a batch; others, such as of the token, may be mended before the next. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 413, 415, 422]);

export type UsageReporter = Readonly<{
  record: UsageSink;
  queued: () => number;
  /** Sends what is there, up to the first failure and for a bounded time; what is left is kept by the spool. */
  close: () => Promise<void>;
}>;

export type UsageReporterOptions = Readonly<{
  client: Pick<ControlClient, 'post'>;
  /** Names this process among the replicas. */
  replica: string;
  counts: Counts;
  log: Log;
  /** Where undelivered usage waits; in memory alone when absent. */
  spool?: UsageSpool | null;
  flushMs?: number;
  queuedMax?: number;
  /** How long the last deliveries may take. */
  closeMs?: number;
}>;

export function createUsageReporter(options: UsageReporterOptions): UsageReporter {
  const reporting = new Reporting(options);
  const { spool = null } = options;
  const flushMs = options.flushMs ?? (spool === null ? flushMsDefault : spoolMsDefault);
  const timer = setInterval(() => reporting.tick(), flushMs).unref();
  return {
    record: (event) => reporting.record(event),
    queued: () => reporting.queued(),
    close: async () => {
      clearInterval(timer);
      await reporting.close(options.closeMs ?? closeMsDefault);
      await spool?.close();
    },
  };
}

class Reporting {
  readonly #options: UsageReporterOptions;
  readonly #spool: UsageSpool | null;
  readonly #queuedMax: number;
  readonly #stopping = new AbortController();
  #queue: UsageEvent[] = [];
  /** How many at the head of the queue are on their way. */
  #underWay = 0;
  #isFailing = false;
  #isSpoolFailing = false;
  #refusals = 0;
  #sending: Promise<void> | null = null;
  /** What was being sent at the last tick. */
  #sendingBefore: Promise<void> | null = null;
  #saving: Promise<void> | null = null;
  /** How many are neither in the queue nor on disk. */
  #savingCount = 0;

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#spool = options.spool ?? null;
    this.#queuedMax = options.queuedMax ?? queuedMaxDefault;
  }

  record(event: UsageEvent): void {
    if (this.#queue.length >= this.#queuedMax) this.#options.counts.usageDropped++;
    else this.#queue.push(event);
    if (this.#queue.length < usageBatchMax) return;
    // While deliveries fail the timer alone tries again.
    if (this.#isFailing) this.#saveSoon();
    else void this.#flush();
  }

  queued(): number {
    return this.#queue.length + this.#savingCount;
  }

  tick(): void {
    // A delivery that lasts is none yet: what it carries is made safe meanwhile.
    if (this.#sending === null) void this.#flush();
    else if (this.#sending === this.#sendingBefore) this.#saveSoon();
    this.#sendingBefore = this.#sending;
  }

  async close(closeMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stopping.abort(), closeMs);
    const wasSending = this.#sending !== null;
    if (this.#spool !== null) await this.#save();
    await this.#sending;
    // What has just failed to answer would only be waited for once more.
    if (!wasSending || !this.#isFailing) await this.#flush();
    await this.#saving;
    await this.#save();
    clearTimeout(timer);
    if (this.#queue.length === 0) return;
    this.#options.log.warn({ events: this.#queue.length }, 'usage was lost at shutdown');
    this.#options.counts.usageDropped += this.#queue.length;
    this.#queue = [];
  }

  #flush(): Promise<void> {
    return (this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    }));
  }

  /** The oldest first: what is on disk, then what is in memory. */
  async #sendAll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const spooled = await this.#nextSpooled();
      if (spooled === null && this.#queue.length === 0) return;
      const isSent = spooled === null ? await this.#sendQueued() : await this.#sendSpooled(spooled);
      if (!isSent) return this.#save();
    }
  }

  async #nextSpooled(): Promise<SpooledBatch | null> {
    if (this.#spool === null || this.#spool.isEmpty()) return null;
    try {
      return await this.#spool.next(usageBatchMax);
    } catch (error) {
      this.#noteSpool(error);
      return null;
    }
  }

  async #sendSpooled({ replica, events }: SpooledBatch): Promise<boolean> {
    const outcome = await this.#post(replica, events);
    if (outcome === 'failed') return false;
    if (outcome === 'dropped') this.#options.counts.usageDropped += events.length;
    await this.#spool?.drop().catch((error: unknown) => this.#noteSpool(error));
    return outcome === 'sent';
  }

  async #sendQueued(): Promise<boolean> {
    const events = this.#queue.slice(0, usageBatchMax);
    this.#underWay = events.length;
    const outcome = await this.#post(this.#options.replica, events);
    // None of them when they went to the spool meanwhile, where they are delivered once more.
    const gone = outcome === 'failed' ? 0 : this.#underWay;
    this.#underWay = 0;
    this.#queue.splice(0, gone);
    if (outcome === 'dropped') this.#options.counts.usageDropped += gone;
    return outcome === 'sent';
  }

  async #post(replica: string, events: readonly unknown[]): Promise<'sent' | 'failed' | 'dropped'> {
    const { client, log } = this.#options;
    let isDropped = false;
    try {
      const { status } = await client.post('/usage', { replica, events }, this.#stopping.signal);
      if (status !== 200) {
        isDropped = refusalStatuses.has(status) && ++this.#refusals >= refusalsMax;
        if (isDropped) this.#refusals = 0;
        throw new Error(`status ${status}`);
      }
      this.#isFailing = false;
      this.#refusals = 0;
      return 'sent';
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ error, queued: this.#queue.length }, 'usage was not delivered');
      this.#isFailing = true;
      return isDropped ? 'dropped' : 'failed';
    }
  }

  #saveSoon(): void {
    if (this.#spool !== null) void this.#save();
  }

  #save(): Promise<void> {
    return (this.#saving ??= this.#saveQueued().finally(() => {
      this.#saving = null;
    }));
  }

  /** What the spool has no room for stays in the queue. */
  async #saveQueued(): Promise<void> {
    if (this.#spool === null || this.#queue.length === 0) return;
    const events = this.#queue;
    this.#queue = [];
    this.#underWay = 0;
    this.#savingCount = events.length;
    let saved = 0;
    try {
      saved = await this.#spool.append(events);
      this.#isSpoolFailing = false;
    } catch (error) {
      this.#noteSpool(error);
    }
    this.#savingCount = 0;
    const kept = events.slice(saved).concat(this.#queue);
    this.#queue = kept.slice(0, this.#queuedMax);
    this.#options.counts.usageDropped += kept.length - this.#queue.length;
  }

  #noteSpool(error: unknown): void {
    if (!this.#isSpoolFailing) this.#options.log.warn({ error }, 'the usage spool failed');
    this.#isSpoolFailing = true;
  }
}
