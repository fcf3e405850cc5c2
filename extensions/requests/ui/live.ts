// Follows new requests: connects again after a failure, stops for a pause, and keeps a bounded number.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { open } from '../../../ui/api/http/call.ts';
import { createFrameReader } from '../../../ui/api/http/event-frames.ts';
import type { Frame } from '../../../ui/api/http/event-frames.ts';
import { asFailure } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import type { UsageEvent } from '../../../ui/api/records.ts';
import type { Query } from './filters.ts';

const rowsMax = 500;
const waitMs = { first: 1_000, last: 15_000 } as const;

export class Live implements ReactiveController {
  /** Newest first. */
  rows: readonly UsageEvent[] = [];
  /** Arrived during the pause. */
  waiting: readonly UsageEvent[] = [];
  isPaused = false;
  isConnected = false;
  /** Null unless the last attempt to connect failed. */
  failure: ApiFailure | null = null;
  /** More requests arrived at once than the server sends. */
  hasSkipped = false;

  readonly #host: ReactiveControllerHost;
  /** Null while the list is not live. */
  readonly #filter: () => Query | null;
  #asked = '';
  #running: AbortController | null = null;
  #lastEventId = '';

  constructor(host: ReactiveControllerHost, filter: () => Query | null) {
    this.#host = host;
    this.#filter = filter;
    host.addController(this);
  }

  hostUpdate(): void {
    const filter = this.#filter();
    const asked = filter === null ? '' : JSON.stringify(filter);
    if (asked === this.#asked) return;
    this.#stop();
    this.#asked = asked;
    if (filter !== null) void this.#follow(filter);
  }

  hostDisconnected(): void {
    this.#stop();
  }

  turnPause(): void {
    this.isPaused = !this.isPaused;
    this.rows = [...this.waiting, ...this.rows].slice(0, rowsMax);
    this.waiting = [];
    this.#host.requestUpdate();
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = null;
    this.#asked = '';
    this.#lastEventId = '';
    this.rows = [];
    this.waiting = [];
    this.isPaused = false;
    this.isConnected = false;
    this.hasSkipped = false;
    this.failure = null;
  }

  async #follow(query: Query): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const { signal } = running;
    for (let wait: number = waitMs.first; ; wait = Math.min(2 * wait, waitMs.last)) {
      try {
        for await (const frames of this.#connect(query, signal)) {
          wait = waitMs.first;
          this.#take(frames);
        }
      } catch (error) {
        if (!signal.aborted) this.failure = asFailure(error);
      }
      if (signal.aborted) return;
      this.isConnected = false;
      this.#host.requestUpdate();
      await passed(wait, signal);
      if (signal.aborted) return;
    }
  }

  async *#connect(query: Query, signal: AbortSignal): AsyncGenerator<readonly Frame[]> {
    const asked = { query, lastEventId: this.#lastEventId, signal };
    const response = await open('GET', '/admin/usage/tail', asked);
    this.isConnected = true;
    this.failure = null;
    this.#host.requestUpdate();
    const read = createFrameReader();
    const pieces = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
    for await (const piece of pieces) yield read(piece);
  }

  #take(frames: readonly Frame[]): void {
    if (frames.length === 0) return;
    const known = new Set([...this.rows, ...this.waiting].map(({ id }) => id));
    const fresh: UsageEvent[] = [];
    for (const { event, data, id } of frames) {
      if (event === 'skipped') this.hasSkipped = true;
      if (event !== 'message') continue;
      this.#lastEventId = id;
      // The server validates rows against the schema of its route.
      const row = JSON.parse(data) as UsageEvent;
      if (!known.has(row.id)) fresh.unshift(row);
    }
    if (this.isPaused) this.waiting = [...fresh, ...this.waiting].slice(0, rowsMax);
    else this.rows = [...fresh, ...this.rows].slice(0, rowsMax);
    this.#host.requestUpdate();
  }
}

const passed = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** The live requests above the loaded ones, each once, newest first. */
export function withLive(
  live: readonly UsageEvent[],
  loaded: readonly UsageEvent[],
): readonly UsageEvent[] {
  if (live.length === 0) return loaded;
  const known = new Set(live.map(({ id }) => id));
  return [...live, ...loaded.filter(({ id }) => !known.has(id))]
    .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
    .slice(0, rowsMax);
}
