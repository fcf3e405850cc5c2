// What an element shows of the server: loaded when it appears, again on demand or now and then, never while the page is hidden. What
// was there stays while the new is on its way, and an answer that is the same changes nothing.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { asOf } from '../state/as-of.ts';
import { changed } from '../state/changed.ts';
import { nextAskMs } from '../lib/poll.ts';
import { isPaused, place } from '../state/location.ts';

type Load<Value> = (signal: AbortSignal) => Promise<Value>;
type Options = Readonly<{
  /** How long after an answer it is asked again; never when absent or null. */
  pollMs?: number | (() => number | null);
  /** It is not asked again while the address says that the page is paused. */
  pausable?: boolean;
  /** What of the address, or of the host, the answer depends on: asked anew when it is another. */
  question?: () => string;
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
  readonly #pausable: boolean;
  readonly #question: () => string;
  #asked: string | null = null;
  #answered: string | null = null;
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #text = '';
  #asOf: string | null = null;
  #wasPaused = false;
  #stopWatching: (() => void) | null = null;

  constructor(
    host: ReactiveControllerHost,
    load: Load<Value>,
    { pollMs, pausable = false, question = () => '' }: Options = {},
  ) {
    this.#host = host;
    this.#load = load;
    this.#pollMs = typeof pollMs === 'function' ? pollMs : () => pollMs ?? null;
    this.#pausable = pausable;
    this.#question = question;
    host.addController(this);
  }

  /** What is shown answers another question than is asked now. */
  get isOld(): boolean {
    return this.value !== undefined && this.#answered !== this.#question();
  }

  hostUpdate(): void {
    if (this.#asked !== null && this.#asked !== this.#question()) void this.reload();
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#whenVisible);
    this.#asOf = asOf();
    this.#wasPaused = isPaused();
    const stopPlace = place.subscribe(() => {
      const isOther = asOf() !== this.#asOf;
      const goesOn = this.#pausable && this.#wasPaused && !isPaused();
      this.#asOf = asOf();
      this.#wasPaused = isPaused();
      if (isOther || goesOn) void this.reload();
      else if (this.#pausable && isPaused()) this.#plan(null);
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
    const question = this.#question();
    this.#asked = question;
    const running = new AbortController();
    this.#running = running;
    this.loading = true;
    this.#host.requestUpdate();
    try {
      const value = await this.#load(running.signal);
      if (running.signal.aborted) return;
      this.#take(value);
      this.#answered = question;
      this.failure = null;
    } catch (error) {
      if (running.signal.aborted) return;
      this.failure = asFailure(error);
    }
    this.loading = false;
    this.#host.requestUpdate();
    this.#plan(this.#nextAskMs());
  }

  /** The same value keeps its identity, so that nothing made from it is made again. */
  #take(value: Value): void {
    const text = JSON.stringify(value) ?? '';
    if (text !== this.#text || this.value === undefined) this.value = value;
    this.#text = text;
    this.updatedAt = Date.now();
  }

  readonly #nextAskMs = (): number | null =>
    nextAskMs({
      everyMs: this.#pollMs(),
      isHidden: document.hidden,
      isPaused: this.#pausable && isPaused(),
    });

  #plan(afterMs: number | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (afterMs === null) return;
    this.#timer = setTimeout(() => void this.reload(), afterMs);
  }

  readonly #whenVisible = (): void => {
    if (document.hidden) this.#plan(null);
    else if (this.#nextAskMs() !== null) void this.reload();
  };
}
