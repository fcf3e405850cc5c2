// Follows the work that waits for the signed-in person, and announces what is new. If the person allows it, also outside of the page.

import type { ReactiveController, ReactiveControllerHost } from 'lit';

import { waitingFor } from '../extension.ts';
import type { Waiting } from '../extension.ts';
import { changed } from '../state/changed.ts';
import { navigate } from '../state/location.ts';
import { outsideNotices } from '../state/preferences.ts';
import { may, session } from '../state/session.ts';
import { notify } from '../state/toasts.ts';

const everyMs = 30_000;

export class WaitingWork implements ReactiveController {
  all: readonly Waiting[] = [];
  readonly #host: ReactiveControllerHost;
  /** Null before the first answer. */
  #known: ReadonlySet<string> | null = null;
  #running = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #stop: (() => void) | null = null;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    void this.#load();
    this.#timer = setInterval(() => {
      if (!document.hidden || mayTellOutside()) void this.#load();
    }, everyMs);
    this.#stop = changed.subscribe(() => void this.#load());
    document.addEventListener('visibilitychange', this.#onVisible);
  }

  hostDisconnected(): void {
    clearInterval(this.#timer);
    this.#running.abort();
    this.#stop?.();
    document.removeEventListener('visibilitychange', this.#onVisible);
  }

  readonly #onVisible = (): void => {
    if (!document.hidden) void this.#load();
  };

  /** After a failure the last answer stays, and the next call tries again. */
  async #load(): Promise<void> {
    const now = session.get();
    if (!('you' in now)) return;
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      const lists = await Promise.all(waitingFor(may).map(({ load }) => load(now.you.id, signal)));
      if (!signal.aborted) this.#take(lists.flat());
    } catch {
      // The screens report failures.
    }
  }

  #take(all: readonly Waiting[]): void {
    const known = this.#known;
    for (const one of all) if (known !== null && !known.has(one.key)) announce(one);
    this.#known = new Set(all.map(({ key }) => key));
    this.all = all;
    this.#host.requestUpdate();
  }
}

function announce({ key, text, about, place }: Waiting): void {
  const open = (): void => navigate(place);
  notify({ text, detail: about, action: { label: 'Open', run: open } });
  if (!document.hidden || !mayTellOutside()) return;
  const outside = new Notification(text, { body: about, tag: key });
  outside.addEventListener('click', () => {
    globalThis.focus();
    open();
  });
}

const mayTellOutside = (): boolean =>
  outsideNotices.get() === 'on' &&
  'Notification' in globalThis &&
  Notification.permission === 'granted';
