// When something of the server is asked for, by what happens around what shows it: at once when it appears or asks something else, now
// and then while somebody looks, never behind another page; and which answer is taken.

type Seen = Readonly<{
  /** The moment whose configuration is shown; null is now. */
  moment: string | null;
  /** The page is behind another one. */
  isHidden: boolean;
  /** Whoever looks at it has stopped it. */
  isPaused: boolean;
}>;

export type Asking = Seen &
  Readonly<{
    isConnected: boolean;
    /** Counts what was asked; the answer to anything but the last is not taken. */
    run: number;
    isUnderWay: boolean;
    /** The question of the last run; null before the first. */
    asked: string | null;
    /** That which is answered by what is shown. */
    answered: string | null;
    /** Epoch milliseconds of the last answer. */
    updatedAt: number | null;
  }>;

export type AskingEvent =
  | Readonly<{ kind: 'connected'; seen: Seen }>
  | Readonly<{ kind: 'disconnected' }>
  /** Somebody wants it now, or the wait is over. */
  | Readonly<{ kind: 'wanted' }>
  /** What it is drawn in is drawn anew, perhaps with another question. */
  | Readonly<{ kind: 'drawn' }>
  | Readonly<{ kind: 'seen'; seen: Seen }>
  | Readonly<{ kind: 'answered'; run: number; at: number }>
  | Readonly<{ kind: 'failed'; run: number }>;

/** As they are when the event comes. `everyMs` is the time from an answer to the next run; null is never. */
type Around = Readonly<{ question: string; everyMs: number | null }>;

/**
 * What is done about it. `ask` gives up the run that is under way, `rest` waits for nothing, and `end` is both without another run.
 */
type Deed =
  | Readonly<{ kind: 'ask' | 'end' | 'rest' }>
  | Readonly<{ kind: 'wait'; forMs: number }>
  | null;

type Step = Readonly<{ state: Asking; deed: Deed }>;

export const notAsked: Asking = {
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

export function step(state: Asking, event: AskingEvent, around: Around): Step {
  switch (event.kind) {
    case 'connected':
      return ask({ ...state, ...event.seen, isConnected: true }, around);
    case 'disconnected':
      return { state: { ...state, isConnected: false, isUnderWay: false }, deed: { kind: 'end' } };
    case 'wanted':
      return ask(state, around);
    case 'drawn':
      return state.asked === null || state.asked === around.question
        ? { state, deed: null }
        : ask(state, around);
    case 'seen':
      return look(state, event.seen, around);
    case 'answered':
    case 'failed':
      return end(state, event, around);
  }
}

/** What is shown answers another question than is asked now. */
export const isOld = ({ updatedAt, answered }: Asking, question: string): boolean =>
  updatedAt !== null && answered !== question;

/** What nobody shows any more is not asked for: it is asked anew when it is shown again. */
function ask(state: Asking, { question }: Around): Step {
  if (!state.isConnected) return { state, deed: null };
  return {
    state: { ...state, run: state.run + 1, isUnderWay: true, asked: question },
    deed: { kind: 'ask' },
  };
}

function look(before: Asking, seen: Seen, around: Around): Step {
  const state = { ...before, ...seen };
  const isBack = (before.isHidden && !seen.isHidden) || (before.isPaused && !seen.isPaused);
  if (before.moment !== seen.moment) return ask(state, around);
  if (isBack && around.everyMs !== null && isLookedAt(state)) return ask(state, around);
  return { state, deed: isLookedAt(state) ? null : { kind: 'rest' } };
}

function end(
  before: Asking,
  event: Extract<AskingEvent, { kind: 'answered' | 'failed' }>,
  { everyMs }: Around,
): Step {
  if (!isAwaited(before, event.run)) return { state: before, deed: null };
  const ended = { ...before, isUnderWay: false };
  const state =
    event.kind === 'answered' ? { ...ended, answered: before.asked, updatedAt: event.at } : ended;
  const waits = everyMs !== null && isLookedAt(state);
  return { state, deed: waits ? { kind: 'wait', forMs: everyMs } : { kind: 'rest' } };
}

/** The answer of this run is taken; that of one that was given up is not, whenever it comes. */
export const isAwaited = ({ isUnderWay, run }: Asking, of: number): boolean =>
  isUnderWay && run === of;

const isLookedAt = ({ isHidden, isPaused }: Seen): boolean => !isHidden && !isPaused;
