// Decides when an element loads data (when it appears, when its query changes, and by polling while
// the page is visible) and which response counts.

type Seen = Readonly<{
  /** The shown version; null is the current one. */
  moment: string | null;
  isHidden: boolean;
  isPaused: boolean;
}>;

export type Loading = Seen &
  Readonly<{
    isConnected: boolean;
    /** Only the response to the last request counts. */
    run: number;
    isUnderWay: boolean;
    /** Null before the first request. */
    asked: string | null;
    /** The query that the shown data answers. */
    answered: string | null;
    /** The time of the last response, in epoch milliseconds. */
    updatedAt: number | null;
  }>;

export type LoadingEvent =
  | Readonly<{ kind: 'connected'; seen: Seen }>
  | Readonly<{ kind: 'disconnected' }>
  /** Requested by the user, or the wait is over. */
  | Readonly<{ kind: 'wanted' }>
  /** The host renders again, possibly with another query. */
  | Readonly<{ kind: 'drawn' }>
  | Readonly<{ kind: 'seen'; seen: Seen }>
  | Readonly<{ kind: 'answered'; run: number; at: number }>
  | Readonly<{ kind: 'failed'; run: number }>;

/** `everyMs` is the time from a response to the next request; null disables polling. */
type Around = Readonly<{ question: string; everyMs: number | null }>;

/** `ask` replaces the pending request, `rest` stops waiting, `end` stops both. */
type PageCommand =
  | Readonly<{ kind: 'ask' | 'end' | 'rest' }>
  | Readonly<{ kind: 'wait'; forMs: number }>
  | null;

type Step = Readonly<{ state: Loading; pageCommand: PageCommand }>;

export const notLoaded: Loading = {
  moment: null,
  isHidden: false,
  isPaused: false,
  isConnected: false,
  run: 0,
  isUnderWay: false,
  asked: null,
  answered: null,
  updatedAt: null,
};

export function step(state: Loading, event: LoadingEvent, around: Around): Step {
  switch (event.kind) {
    case 'connected':
      return ask({ ...state, ...event.seen, isConnected: true }, around);
    case 'disconnected':
      return {
        state: { ...state, isConnected: false, isUnderWay: false },
        pageCommand: { kind: 'end' },
      };
    case 'wanted':
      return ask(state, around);
    case 'drawn':
      return state.asked === null || state.asked === around.question
        ? { state, pageCommand: null }
        : ask(state, around);
    case 'seen':
      return look(state, event.seen, around);
    case 'answered':
    case 'failed':
      return end(state, event, around);
  }
}

export const isOld = ({ updatedAt, answered }: Loading, question: string): boolean =>
  updatedAt !== null && answered !== question;

/** A removed element stops loading, and loads again when it returns. */
function ask(state: Loading, { question }: Around): Step {
  if (!state.isConnected) return { state, pageCommand: null };
  return {
    state: { ...state, run: state.run + 1, isUnderWay: true, asked: question },
    pageCommand: { kind: 'ask' },
  };
}

function look(before: Loading, seen: Seen, around: Around): Step {
  const state = { ...before, ...seen };
  const isBack = (before.isHidden && !seen.isHidden) || (before.isPaused && !seen.isPaused);
  if (before.moment !== seen.moment) return ask(state, around);
  if (isBack && around.everyMs !== null && isLookedAt(state)) return ask(state, around);
  return { state, pageCommand: isLookedAt(state) ? null : { kind: 'rest' } };
}

function end(
  before: Loading,
  event: Extract<LoadingEvent, { kind: 'answered' | 'failed' }>,
  { everyMs }: Around,
): Step {
  if (!isAwaited(before, event.run)) return { state: before, pageCommand: null };
  const ended = { ...before, isUnderWay: false };
  const state =
    event.kind === 'answered' ? { ...ended, answered: before.asked, updatedAt: event.at } : ended;
  const waits = everyMs !== null && isLookedAt(state);
  return { state, pageCommand: waits ? { kind: 'wait', forMs: everyMs } : { kind: 'rest' } };
}

/** Replaced requests are ignored. */
export const isAwaited = ({ isUnderWay, run }: Loading, of: number): boolean =>
  isUnderWay && run === of;

const isLookedAt = ({ isHidden, isPaused }: Seen): boolean => !isHidden && !isPaused;
