// Holds when something of the server is asked for, and which answer is taken.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { isOld, notAsked, step } from '../../../../ui/lib/page/asking.ts';
import type { Asking, AskingEvent } from '../../../../ui/lib/page/asking.ts';

const looked = { moment: null, isHidden: false, isPaused: false };
const hidden = { ...looked, isHidden: true };
const paused = { ...looked, isPaused: true };
const past = { ...looked, moment: '7' };
const around = { question: 'a', everyMs: 5 };

type Happened = AskingEvent & Readonly<{ question?: string; everyMs?: number | null }>;

const connected: Happened = { kind: 'connected', seen: looked };
const wanted: Happened = { kind: 'wanted' };
const seen = (what: typeof looked | typeof past): Happened => ({ kind: 'seen', seen: what });
const answered = (run: number): Happened => ({ kind: 'answered', run, at: run * 1_000 });
const failed = (run: number): Happened => ({ kind: 'failed', run });

/** What was done about each event, in short, and what came of them all. */
function played(events: readonly Happened[]) {
  let state: Asking = notAsked;
  const pageCommands = events.map(({ question, everyMs, ...event }) => {
    const now = {
      question: question ?? around.question,
      everyMs: everyMs === undefined ? around.everyMs : everyMs,
    };
    const done = step(state, event, now);
    state = done.state;
    return done.pageCommand?.kind ?? '-';
  });
  return { pageCommands: pageCommands.join(' '), state };
}

const first = [connected, answered(1)];

const cases: readonly (readonly [
  rule: string,
  events: readonly Happened[],
  pageCommands: string,
])[] = [
  ['it is asked for when it appears', [connected], 'ask'],
  ['it is asked for again a while after an answer', [...first, wanted], 'ask wait ask'],
  ['it is asked for again a while after a failure', [connected, failed(1)], 'ask wait'],
  [
    'what need not be new is asked for once',
    [connected, { ...answered(1), everyMs: null }],
    'ask rest',
  ],
  [
    'the answer to a run that was given up is not taken',
    [connected, wanted, answered(1), answered(2)],
    'ask ask - wait',
  ],
  ['its failure is none', [connected, wanted, failed(1), answered(2)], 'ask ask - wait'],
  [
    'nor is it taken after the last',
    [connected, wanted, answered(2), answered(1)],
    'ask ask wait -',
  ],
  ['an answer is taken once', [connected, answered(1), answered(1)], 'ask wait -'],
  [
    'another question is asked at once, the same one is not',
    [
      ...first,
      { kind: 'drawn' },
      { kind: 'drawn', question: 'b' },
      { kind: 'drawn', question: 'b' },
    ],
    'ask wait - ask -',
  ],
  ['nothing is asked by being drawn first', [{ kind: 'drawn' }], '-'],
  ['another moment is asked for at once', [...first, seen(past), answered(2)], 'ask wait ask wait'],
  ['so is the present after it', [...first, seen(past), seen(looked)], 'ask wait ask ask'],
  ['another place of the same moment changes nothing', [...first, seen(looked)], 'ask wait -'],
  ['behind another page it waits for nothing', [...first, seen(hidden)], 'ask wait rest'],
  [
    'what was under way when the page went behind comes, and is the last',
    [connected, seen(hidden), answered(1)],
    'ask rest rest',
  ],
  [
    'before the others again it is asked for',
    [...first, seen(hidden), seen(looked)],
    'ask wait rest ask',
  ],
  [
    'unless it need not be new',
    [...first, { ...seen(hidden), everyMs: null }, { ...seen(looked), everyMs: null }],
    'ask wait rest -',
  ],
  ['stopped it waits for nothing', [...first, seen(paused)], 'ask wait rest'],
  ['and goes on at once', [...first, seen(paused), seen(looked)], 'ask wait rest ask'],
  [
    'stopped and behind another page it takes both to confirm',
    [...first, seen({ ...paused, isHidden: true }), seen(paused), seen(looked)],
    'ask wait rest rest ask',
  ],
  [
    'stopped it is asked for by hand, and once',
    [...first, seen(paused), wanted, answered(2)],
    'ask wait rest ask rest',
  ],
  ['what is shown no more ends', [connected, { kind: 'disconnected' }, answered(1)], 'ask end -'],
  ['nor is it asked for then', [...first, { kind: 'disconnected' }, wanted], 'ask wait end -'],
  [
    'nor by another question or moment',
    [...first, { kind: 'disconnected' }, { kind: 'drawn', question: 'b' }, seen(past)],
    'ask wait end - -',
  ],
  [
    'it is when it appears again',
    [...first, { kind: 'disconnected' }, connected],
    'ask wait end ask',
  ],
];

for (const [rule, events, pageCommands] of cases) {
  it(rule, () => {
    assert.equal(played(events).pageCommands, pageCommands);
  });
}

it('what is shown is old from another question to its answer, and not for a failure', () => {
  const isOldNow = (events: readonly Happened[]) => isOld(played(events).state, 'b');
  const other: Happened = { kind: 'drawn', question: 'b' };
  assert.equal(isOldNow([connected]), false);
  assert.equal(isOldNow(first), true);
  assert.equal(isOldNow([...first, other]), true);
  assert.equal(isOldNow([...first, other, failed(2)]), true);
  assert.equal(isOldNow([...first, other, answered(2)]), false);
});

const updatedAt = (events: readonly Happened[]) => played(events).state.updatedAt;
const isLoading = (events: readonly Happened[]) => played(events).state.isUnderWay;

it('it was updated when the last answer came', () => {
  assert.equal(updatedAt([connected, failed(1)]), null);
  assert.equal(updatedAt([connected, answered(1), wanted, failed(2)]), 1_000);
  assert.equal(updatedAt([connected, answered(1), wanted, answered(2)]), 2_000);
});

it('it is loading from a question to its answer or its end', () => {
  assert.equal(isLoading([connected]), true);
  assert.equal(isLoading(first), false);
  assert.equal(isLoading([connected, failed(1)]), false);
  assert.equal(isLoading([connected, { kind: 'disconnected' }]), false);
});
