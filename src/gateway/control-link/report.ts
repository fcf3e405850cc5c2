// Delivers usage rows to the control plane in batches. Requests never wait: when the queue is full, rows are dropped and
// counted. A failed batch is sent again with the same ids, so it counts once. With a spool, undelivered rows are written to
// disk and delivered from there in order.

import { Spending } from '../../limits/spending.ts';
import type { SpentRow } from '../../limits/spending.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Counts } from '../../telemetry/metrics.ts';
import { usageBatchMax } from '../../usage/usage-event.ts';
import type { UsageEvent } from '../../usage/usage-event.ts';
import { rowIdOf, UsageRowWriter } from '../../usage/usage-row.ts';
import type { NumbersReport } from '../../usage/row-number.ts';
import type { UsageSink } from '../usage/meter.ts';
import { RowNumbers } from '../usage/row-numbers.ts';
import type { SpooledBatch, UsageSpool } from '../usage/spool.ts';
import type { ControlClient } from './client.ts';
import { figuresIn } from './usage-figures.ts';
import { usageBody, UsageQueue } from './usage-queue.ts';
import type { QueuedRow } from './usage-queue.ts';

const queuedMaxDefault = 10_000;
const flushMsDefault = 5000;
/** With a spool, rows stay only in memory for little longer than this. */
const spoolMsDefault = 1000;
const closeMsDefault = 5000;
/** A batch that is refused this many times in a row is dropped, because its content must be the cause. */
const refusalsMax = 20;
/** Statuses that refuse the content of a batch. Other refusals, for example of the token, may be temporary. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 413, 415, 422]);

export type UsageReporter = Readonly<{
  record: UsageSink;
  queued: () => number;
  /** The numbers of rows, for the health report. Null while deliveries succeed, because batches have them too. */
  undelivered: () => NumbersReport | null;
  /** Sends queued rows within a time limit, up to the first failure. The spool keeps the rest. */
  close: () => Promise<void>;
}>;

export type UsageReporterOptions = Readonly<{
  client: Pick<ControlClient, 'post'>;
  /** Identifies this process among the replicas. */
  replica: string;
  /** Identifies this start of the process, by a ULID. Rows are numbered within it. */
  run: string;
  counts: Counts;
  log: Log;
  /** Without it, undelivered usage is only in memory. */
  spool?: UsageSpool | null;
  /** Receives the delivery state of its rows. */
  spending?: Spending;
  flushMs?: number;
  queuedMax?: number;
  /** The time limit of the last deliveries. */
  closeMs?: number;
}>;

export function createUsageReporter(options: UsageReporterOptions): UsageReporter {
  const reporting = new Reporting(options);
  const { spool = null } = options;
  const flushMs = options.flushMs ?? (spool === null ? flushMsDefault : spoolMsDefault);
  const timer = setInterval(() => reporting.tick(), flushMs).unref();
  return {
    record: (event, spent) => reporting.record(event, spent),
    queued: () => reporting.queued(),
    undelivered: () => reporting.undelivered(),
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
  readonly #spending: Spending;
  readonly #queuedMax: number;
  readonly #stopping = new AbortController();
  readonly #queue: UsageQueue;
  readonly #writer = new UsageRowWriter();
  readonly #numbers: RowNumbers;
  /** The numbers in the oldest batch of the queue, once that was sent. */
  #sent: NumbersReport;
  #isFailing = false;
  #isSpoolFailing = false;
  #refusals = 0;
  #sending: Promise<void> | null = null;
  #deliveries = 0;
  /** The delivery in progress at the last tick. */
  #deliveryBefore: number | null = null;
  #saving: Promise<void> | null = null;
  /** Rows that are neither in the queue nor on disk. */
  #savingCount = 0;

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#spool = options.spool ?? null;
    this.#spending = options.spending ?? new Spending();
    this.#queuedMax = options.queuedMax ?? queuedMaxDefault;
    this.#queue = new UsageQueue(options.replica);
    this.#numbers = new RowNumbers(options);
    this.#sent = this.#numbers.report();
  }

  record(event: UsageEvent, spent: SpentRow | null): void {
    const number = this.#numbers.next();
    if (this.#queue.count < this.#queuedMax) {
      this.#queue.push(this.#writer.row(event, number), spent);
    } else {
      this.#numbers.dropped(this.#numbers.last, 'queue_full');
      this.#countDropped([spent]);
    }
    if (this.#queue.count < usageBatchMax) return;
    // While deliveries fail, only the timer retries.
    if (this.#isFailing) this.#saveSoon();
    else void this.#flush(0);
  }

  queued(): number {
    return this.#queue.count + this.#savingCount;
  }

  undelivered(): NumbersReport | null {
    return this.#isFailing ? this.#numbers.report() : null;
  }

  tick(): void {
    // A delivery that takes longer than a tick may fail, so its rows are saved while it runs.
    if (this.#sending === null) void this.#flush(this.#queue.batches);
    else if (this.#deliveries === this.#deliveryBefore) this.#saveSoon();
    this.#deliveryBefore = this.#sending === null ? null : this.#deliveries;
  }

  async close(closeMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stopping.abort(), closeMs);
    const wasSending = this.#sending !== null;
    if (this.#spool !== null) await this.#save();
    await this.#sending;
    // Do not wait again for a control plane that just failed to answer.
    if (!wasSending || !this.#isFailing) await this.#flush(Infinity);
    await this.#saving;
    await this.#save();
    clearTimeout(timer);
    const events = this.#queue.takeAll().length;
    if (events === 0) return;
    this.#options.log.warn({ events }, 'usage rows were lost at shutdown');
    this.#options.counts.usageDropped += events;
  }

  /**
   * Sends the oldest batches, and then those that are full. Under load, more rows arrive during each delivery, and
   * smaller batches would cost more than they carry.
   */
  #flush(batches: number): Promise<void> {
    return (this.#sending ??= this.#sendAll(batches).finally(() => {
      this.#sending = null;
    }));
  }

  /** Oldest rows first: those on disk, then those in memory. */
  async #sendAll(batches: number): Promise<void> {
    let left = batches;
    while (!this.#stopping.signal.aborted) {
      const spooled = await this.#nextSpooled();
      const rowsMin = left > 0 ? 1 : usageBatchMax;
      if (spooled === null && this.#queue.count < rowsMin) return;
      const isSent = spooled === null ? await this.#sendQueued() : await this.#sendSpooled(spooled);
      if (!isSent) return this.#save();
      if (spooled === null) left--;
    }
  }

  async #nextSpooled(): Promise<SpooledBatch | null> {
    if (this.#spool === null) return null;
    try {
      const batch = this.#spool.isEmpty() ? null : await this.#spool.next(usageBatchMax);
      if (batch === null) this.#spending.spoolIsEmpty();
      return batch;
    } catch (error) {
      this.#noteSpool(error);
      return null;
    }
  }

  async #sendSpooled({ replica, events }: SpooledBatch): Promise<boolean> {
    const report = this.#numbers.report();
    const body = usageBody(replica, events, this.#numbers.senderOf(report));
    const outcome = await this.#post(body, this.#spending.spooledRows(events.map(rowIdOf)));
    if (outcome === 'failed') return false;
    if (outcome === 'dropped') this.#noteRefused(events);
    else this.#numbers.reported(report);
    await this.#spool?.drop().catch((error: unknown) => this.#noteSpool(error));
    return outcome === 'sent';
  }

  async #sendQueued(): Promise<boolean> {
    const batch = this.#queue.oldest(() => {
      this.#sent = this.#numbers.report();
      return this.#numbers.senderOf(this.#sent);
    });
    if (batch === null) return true;
    const report = this.#sent;
    const outcome = await this.#post(batch.body(), batch.spent);
    // Rows that were spooled in the meantime are not removed here. The spool delivers them again.
    if (outcome === 'dropped' && this.#queue.remove(batch) > 0) {
      this.#noteRefused(batch.rows().map(({ bytes }) => bytes));
    }
    if (outcome === 'sent') {
      this.#queue.recycle(batch);
      this.#numbers.reported(report);
    }
    return outcome === 'sent';
  }

  async #post(
    body: Buffer,
    spent: readonly (SpentRow | null)[],
  ): Promise<'sent' | 'failed' | 'dropped'> {
    const { client, log } = this.#options;
    this.#deliveries++;
    const sentAt = this.#spending.sending(spent);
    let isDropped = false;
    try {
      const answer = await client.post('/usage', body, this.#stopping.signal);
      const { status } = answer;
      if (status !== 200) {
        isDropped = refusalStatuses.has(status) && ++this.#refusals >= refusalsMax;
        if (isDropped) this.#refusals = 0;
        throw new Error(`status ${status}`);
      }
      this.#isFailing = false;
      this.#refusals = 0;
      this.#spending.delivered(spent, { figures: figuresIn(answer), sentAt });
      return 'sent';
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ error, queued: this.#queue.count }, 'usage rows were not delivered');
      this.#isFailing = true;
      if (isDropped) this.#spending.lost(spent);
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

  /** Rows that do not fit in the spool stay in the queue. */
  async #saveQueued(): Promise<void> {
    if (this.#spool === null || this.#queue.count === 0) return;
    const rows = this.#queue.takeAll();
    this.#savingCount = rows.length;
    const bytes = rows.map((row) => row.bytes);
    const spent = rows.map((row) => row.spent);
    // Another process may take over the file and deliver the rows before `append` returns.
    this.#spending.sending(spent);
    let saved = 0;
    try {
      saved = await this.#spool.append(bytes);
      this.#isSpoolFailing = false;
    } catch (error) {
      this.#noteSpool(error);
    }
    this.#spending.spooled(spent.slice(0, saved), bytes.map(rowIdOf));
    this.#savingCount = 0;
    if (saved < rows.length) this.#putBack(rows.slice(saved));
  }

  /** Puts the rows back in front of those that arrived in the meantime. */
  #putBack(rows: readonly QueuedRow[]): void {
    const all = [...rows, ...this.#queue.takeAll()];
    for (const { bytes, spent } of all.slice(0, this.#queuedMax)) {
      this.#queue.push(bytes.toString('latin1'), spent);
    }
    const rest = all.slice(this.#queuedMax);
    this.#numbers.droppedRows(
      rest.map(({ bytes }) => bytes),
      'queue_full',
    );
    this.#countDropped(rest.map(({ spent }) => spent));
  }

  /** The control plane refused the content of a batch for good. */
  #noteRefused(rows: readonly (Buffer | string)[]): void {
    this.#numbers.droppedRows(rows, 'batch_refused');
    this.#options.counts.usageDropped += rows.length;
  }

  #countDropped(spent: readonly (SpentRow | null)[]): void {
    this.#options.counts.usageDropped += spent.length;
    this.#spending.lost(spent);
  }

  #noteSpool(error: unknown): void {
    if (!this.#isSpoolFailing) this.#options.log.warn({ error }, 'the usage spool failed');
    this.#isSpoolFailing = true;
  }
}
