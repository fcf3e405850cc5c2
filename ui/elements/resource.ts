// Loads data for an element: when it appears, on demand and by polling. Old data stays until new data arrives, and an equal response
// changes nothing. lib/asking decides when to load.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import { isAwaited, isOld, notLoaded, step } from '../lib/page/loading.ts';
import type { LoadingEvent } from '../lib/page/loading.ts';
import { asOf } from '../state/as-of.ts';
import { changed } from '../state/changed.ts';
import { isPaused, place } from '../state/location.ts';

type Load<Value> = (signal: AbortSignal) => Promise<Value>;
type Options = Readonly<{
  /** After a response; never when absent or null. */
  pollMs?: number | (() => number | null);
  /** Stops polling while the page is paused. */
  pausable?: boolean;
  /** Identifies what the response depends on. A change loads it again. */
  question?: () => string;
}>;

export class Resource<Value> implements ReactiveController {
  /** Undefined until the first response. */
  value: Value | undefined;
  /** Null if the last attempt succeeded. */
  failure: ApiFailure | null = null;

  readonly #host: ReactiveControllerHost;
  readonly #load: Load<Value>;
  readonly #pollMs: () => number | null;
  readonly #pausable: boolean;
  readonly #question: () => string;
  #state = notLoaded;
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #text = '';
  #watched: readonly (() => void)[] = [];

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

  get loading(): boolean {
    return this.#state.isUnderWay;
  }

  get updatedAt(): number | null {
    return this.#state.updatedAt;
  }

  /** The shown data belongs to an earlier query. */
  get isOld(): boolean {
    return isOld(this.#state, this.#question());
  }

  hostUpdate(): void {
    void this.#tell({ kind: 'drawn' });
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#look);
    this.#watched = [place.subscribe(this.#look), changed.subscribe(() => void this.reload())];
    void this.#tell({ kind: 'connected', seen: this.#seen() });
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#look);
    for (const stop of this.#watched) stop();
    void this.#tell({ kind: 'disconnected' });
  }

  /** Drops a pending response. */
  reload(): Promise<void> {
    return this.#tell({ kind: 'wanted' });
  }

  async #tell(event: LoadingEvent): Promise<void> {
    const around = { question: this.#question(), everyMs: this.#pollMs() };
    const { state, pageCommand } = step(this.#state, event, around);
    this.#state = state;
    if (pageCommand === null) return;
    clearTimeout(this.#timer);
    if (pageCommand.kind === 'ask' || pageCommand.kind === 'end') this.#running?.abort();
    if (pageCommand.kind === 'ask') await this.#ask(state.run);
    if (pageCommand.kind === 'wait')
      this.#timer = setTimeout(() => void this.reload(), pageCommand.forMs);
  }

  async #ask(run: number): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#host.requestUpdate();
    try {
      const value = await this.#load(running.signal);
      if (!isAwaited(this.#state, run)) return;
      this.#take(value);
      this.failure = null;
      await this.#tell({ kind: 'answered', run, at: Date.now() });
    } catch (error) {
      if (!isAwaited(this.#state, run)) return;
      this.failure = asFailure(error);
      await this.#tell({ kind: 'failed', run });
    }
    this.#host.requestUpdate();
  }

  /** Equal data keeps its identity, so that nothing derived from it is computed again. */
  #take(value: Value): void {
    const text = JSON.stringify(value) ?? '';
    if (text !== this.#text || this.value === undefined) this.value = value;
    this.#text = text;
  }

  #seen() {
    return {
      moment: asOf(),
      isHidden: document.hidden,
      isPaused: this.#pausable && isPaused(),
    };
  }

  readonly #look = (): void => void this.#tell({ kind: 'seen', seen: this.#seen() });
}
