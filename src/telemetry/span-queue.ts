// Queues finished spans for the collector, with a bound, and sends one batch at a time. Drops and
// counts spans that do not fit. Logs once that the collector is unreachable, and once that it is
// reachable again.

import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

import type { Log } from './log.ts';

const batchMax = 512;

export type SpanQueueOptions = Readonly<{
  exporter: SpanExporter;
  log: Log;
  delayMs: number;
  queuedMax: number;
}>;

export type SpanCounts = Record<'exported' | 'refused' | 'dropped', number>;

export class SpanQueue implements SpanProcessor {
  readonly counts: SpanCounts = { exported: 0, refused: 0, dropped: 0 };
  readonly #options: SpanQueueOptions;
  readonly #timer: NodeJS.Timeout;
  #queue: ReadableSpan[] = [];
  #sending: Promise<void> | null = null;
  #isFailing = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.forceFlush(), options.delayMs).unref();
  }

  get queued(): number {
    return this.#queue.length;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#queue.length >= this.#options.queuedMax) this.counts.dropped++;
    else this.#queue.push(span);
    if (this.#queue.length >= batchMax && !this.#isFailing) void this.forceFlush();
  }

  forceFlush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async shutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    await this.forceFlush();
    await this.#options.exporter.shutdown();
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, batchMax);
      const error = await this.#send(batch);
      this.#queue = this.#queue.slice(batch.length);
      this.#note(error, batch.length);
      // Keeps the rest for the next interval, so that a failing collector is not retried at once.
      if (error !== null) return;
    }
  }

  #send(batch: ReadableSpan[]): Promise<unknown> {
    return new Promise((resolve) => {
      this.#options.exporter.export(batch, ({ code, error }) =>
        resolve(code === ExportResultCode.SUCCESS ? null : (error ?? new Error('not exported'))),
      );
    });
  }

  #note(error: unknown, spans: number): void {
    const { log } = this.#options;
    this.counts[error === null ? 'exported' : 'refused'] += spans;
    if (error !== null && !this.#isFailing) {
      log.warn({ error }, 'the trace collector does not take spans; traffic is served untraced');
    }
    if (error === null && this.#isFailing) log.info({}, 'the trace collector accepts spans again');
    this.#isFailing = error !== null;
  }

  /** Reports an unreachable collector before the first span is sent. */
  noteAway(error: unknown): void {
    if (!this.#isFailing) {
      const message = 'the trace collector cannot be reached; traffic is served untraced';
      this.#options.log.warn({ error }, message);
    }
    this.#isFailing = true;
  }
}
