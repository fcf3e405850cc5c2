// Tests when data is requested, and which response is used.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { isOld, notLoaded, step } from '../../../../ui/lib/page/loading.ts';
import type { Loading, LoadingEvent } from '../../../../ui/lib/page/loading.ts';

const looked = { moment: null, isHidden: false, isPaused: false };
const hidden = { ...looked, isHidden: true };
const paused = { ...looked, isPaused: true };
const past = { ...looked, moment: '7' };
const around = { question: 'a', everyMs: 5 };

type Happened = LoadingEvent & Readonly<{ question?: string; everyMs?: number | null }>;

const connected: Happened = { kind: 'connected', seen: looked };
const wanted: Happened = { kind: 'wanted' };
const seen = (what: typeof looked | typeof past): Happened => ({ kind: 'seen', seen: what });
const answered = (run: number): Happened => ({ kind: 'answered', run, at: run * 1_000 });
const failed = (run: number): Happened => ({ kind: 'failed', run });

/** The effect of each event in short, and the final state. */
function played(events: readonly Happened[]) {
  let state: Loading = notLoaded;
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
  ['loads when it appears', [connected], 'ask'],
  ['polls after a response', [...first, wanted], 'ask wait ask'],
  ['polls after a failure', [connected, failed(1)], 'ask wait'],
  ['loads once without polling', [connected, { ...answered(1), everyMs: null }], 'ask rest'],
  [
    'ignores the response to a replaced request',
    [connected, wanted, answered(1), answered(2)],
    'ask ask - wait',
  ],
  [
    'ignores the failure of a replaced request',
    [connected, wanted, failed(1), answered(2)],
    'ask ask - wait',
  ],
  [
    'ignores it after the last response, too',
    [connected, wanted, answered(2), answered(1)],
    'ask ask wait -',
  ],
  ['takes a response once', [connected, answered(1), answered(1)], 'ask wait -'],
  [
    'loads a new query at once, but not the same one',
    [
      ...first,
      { kind: 'drawn' },
      { kind: 'drawn', question: 'b' },
      { kind: 'drawn', question: 'b' },
    ],
    'ask wait - ask -',
  ],
  ['drawing alone does not load', [{ kind: 'drawn' }], '-'],
  ['loads another version at once', [...first, seen(past), answered(2)], 'ask wait ask wait'],
  ['loads the current version after it', [...first, seen(past), seen(looked)], 'ask wait ask ask'],
  ['another place at the same version changes nothing', [...first, seen(looked)], 'ask wait -'],
  ['does not poll while the page is hidden', [...first, seen(hidden)], 'ask wait rest'],
  [
    'a pending response still arrives on a hidden page, and is the last',
    [connected, seen(hidden), answered(1)],
    'ask rest rest',
  ],
  [
    'loads when the page is visible again',
    [...first, seen(hidden), seen(looked)],
    'ask wait rest ask',
  ],
  [
    'does not load when visible again without polling',
    [...first, { ...seen(hidden), everyMs: null }, { ...seen(looked), everyMs: null }],
    'ask wait rest -',
  ],
  ['does not poll while paused', [...first, seen(paused)], 'ask wait rest'],
  ['loads at once when resumed', [...first, seen(paused), seen(looked)], 'ask wait rest ask'],
  [
    'polls only when it is both visible and resumed',
    [...first, seen({ ...paused, isHidden: true }), seen(paused), seen(looked)],
    'ask wait rest rest ask',
  ],
  [
    'loads once by hand while paused',
    [...first, seen(paused), wanted, answered(2)],
    'ask wait rest ask rest',
  ],
  ['stops when removed', [connected, { kind: 'disconnected' }, answered(1)], 'ask end -'],
  [
    'does not load by hand after removal',
    [...first, { kind: 'disconnected' }, wanted],
    'ask wait end -',
  ],
  [
    'does not load for another query or version after removal',
    [...first, { kind: 'disconnected' }, { kind: 'drawn', question: 'b' }, seen(past)],
    'ask wait end - -',
  ],
  [
    'loads when it appears again',
    [...first, { kind: 'disconnected' }, connected],
    'ask wait end ask',
  ],
];

for (const [rule, events, pageCommands] of cases) {
  it(rule, () => {
    assert.equal(played(events).pageCommands, pageCommands);
  });
}

it('data is stale from a new query until its response, but not after a failure', () => {
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

it('reports the time of the last response', () => {
  assert.equal(updatedAt([connected, failed(1)]), null);
  assert.equal(updatedAt([connected, answered(1), wanted, failed(2)]), 1_000);
  assert.equal(updatedAt([connected, answered(1), wanted, answered(2)]), 2_000);
});

it('is loading from a request until its response or its end', () => {
  assert.equal(isLoading([connected]), true);
  assert.equal(isLoading(first), false);
  assert.equal(isLoading([connected, failed(1)]), false);
  assert.equal(isLoading([connected, { kind: 'disconnected' }]), false);
});
