// What an element shows of the server: loaded when it appears, again on demand or now and then. What was there stays while the new is on
// its way, and an answer that is the same changes nothing. When it is asked for is decided in lib/asking.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import { isAwaited, isOld, notAsked, step } from '../lib/page/asking.ts';
import type { AskingEvent } from '../lib/page/asking.ts';
import { asOf } from '../state/as-of.ts';
import { changed } from '../state/changed.ts';
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

  readonly #host: ReactiveControllerHost;
  readonly #load: Load<Value>;
  readonly #pollMs: () => number | null;
  readonly #pausable: boolean;
  readonly #question: () => string;
  #state = notAsked;
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

  /** What is shown answers another question than is asked now. */
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

  /** Asks now; an answer that is still on its way is no longer waited for. */
  reload(): Promise<void> {
    return this.#tell({ kind: 'wanted' });
  }

  /** Resolves when what is asked because of it has ended. */
  async #tell(event: AskingEvent): Promise<void> {
    const around = { question: this.#question(), everyMs: this.#pollMs() };
    const { state, deed } = step(this.#state, event, around);
    this.#state = state;
    if (deed === null) return;
    clearTimeout(this.#timer);
    if (deed.kind === 'ask' || deed.kind === 'end') this.#running?.abort();
    if (deed.kind === 'ask') await this.#ask(state.run);
    if (deed.kind === 'wait') this.#timer = setTimeout(() => void this.reload(), deed.forMs);
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

  /** The same value keeps its identity, so that nothing made from it is made again. */
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
