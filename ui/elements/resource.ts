// What an element shows of the server: loaded when it appears, again on demand or now and then, never while the page is hidden. What
// was there stays while the new is on its way, and an answer that is the same changes nothing.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { asOf } from '../state/as-of.ts';
import { changed } from '../state/changed.ts';
import { place } from '../state/location.ts';

type Load<Value> = (signal: AbortSignal) => Promise<Value>;
type Options = Readonly<{
  /** How long after an answer it is asked again; never when absent or null. */
  pollMs?: number | (() => number | null);
}>;

export class Resource<Value> implements ReactiveController {
  /** Undefined until the first answer. */
  value: Value | undefined;
  /** Of the last attempt; null when it succeeded. */
  failure: ApiFailure | null = null;
  loading = false;
  updatedAt: number | null = null;

  readonly #host: ReactiveControllerHost;
  readonly #load: Load<Value>;
  readonly #pollMs: () => number | null;
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #text = '';
  #asOf: string | null = null;
  #stopWatching: (() => void) | null = null;

  constructor(host: ReactiveControllerHost, load: Load<Value>, { pollMs }: Options = {}) {
    this.#host = host;
    this.#load = load;
    this.#pollMs = typeof pollMs === 'function' ? pollMs : () => pollMs ?? null;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#whenVisible);
    this.#asOf = asOf();
    const stopPlace = place.subscribe(() => {
      if (asOf() === this.#asOf) return;
      this.#asOf = asOf();
      void this.reload();
    });
    const stopChanged = changed.subscribe(() => void this.reload());
    this.#stopWatching = () => {
      stopPlace();
      stopChanged();
    };
    void this.reload();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#whenVisible);
    this.#stopWatching?.();
    this.#running?.abort();
    this.#plan(null);
  }

  /** Asks now; an answer that is still on its way is no longer waited for. */
  async reload(): Promise<void> {
    this.#plan(null);
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.loading = true;
    this.#host.requestUpdate();
    try {
      const value = await this.#load(running.signal);
      if (running.signal.aborted) return;
      this.#take(value);
      this.failure = null;
    } catch (error) {
      if (running.signal.aborted) return;
      this.failure = asFailure(error);
    }
    this.loading = false;
    this.#host.requestUpdate();
    this.#plan(this.#pollMs());
  }

  /** The same value keeps its identity, so that nothing made from it is made again. */
  #take(value: Value): void {
    const text = JSON.stringify(value) ?? '';
    if (text !== this.#text || this.value === undefined) this.value = value;
    this.#text = text;
    this.updatedAt = Date.now();
  }

  #plan(afterMs: number | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (afterMs === null || document.hidden) return;
    this.#timer = setTimeout(() => void this.reload(), afterMs);
  }

  readonly #whenVisible = (): void => {
    if (document.hidden) this.#plan(null);
    else if (this.#pollMs() !== null) void this.reload();
  };
}
