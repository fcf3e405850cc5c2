// When a backend is out of rotation, and when it comes back: tables of what was found, and what holds whatever is found.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import {
  afterAnswer,
  afterProbe,
  afterReached,
  afterTimeout,
  afterUnreached,
  ejectionMsMax,
  ejectionMsMin,
  findingOf,
  outUntilMs,
  restMs,
  sound,
  unprobed,
  withinClock,
} from '../../../src/gateway/health/state.ts';
import type { Finding, Reach, Traffic } from '../../../src/gateway/health/state.ts';

const noon = Date.parse('2026-11-21T12:00:00Z');
const second = 1000;

const probed = (findings: readonly Finding[], unhealthyAfter = 2): Reach =>
  findings.reduce<Reach>((reach, one) => afterProbe(reach, one, unhealthyAfter), unprobed);

describe('probes', () => {
  const letters: Readonly<Record<string, Finding>> = { p: 'passed', f: 'failed', u: 'unjudged' };
  for (const [findings, isOut] of [
    ['', false],
    ['f', false],
    ['ff', true],
    ['fpf', false],
    ['fuf', true],
    ['uuuu', false],
    ['ffp', false],
    ['ffu', true],
    ['ffpf', false],
    ['ffff', true],
  ] as const) {
    it(`leave an endpoint ${isOut ? 'out' : 'in'} after "${findings}"`, () => {
      const found = findings.split('').map((letter) => letters[letter] ?? 'unjudged');
      assert.equal(probed(found).isOut, isOut);
    });
  }

  it('take out after as many failures as are set', () => {
    const failed = (times: number) => probed(Array<Finding>(times).fill('failed'), 5).isOut;
    assert.deepEqual([failed(4), failed(5)], [false, true]);
    assert.equal(probed(['failed'], 1).isOut, true);
  });

  for (const [status, hasPassed, finding] of [
    [200, false, 'passed'],
    [204, false, 'passed'],
    [301, true, 'failed'],
    [401, false, 'failed'],
    [404, false, 'unjudged'],
    [404, true, 'failed'],
    [405, false, 'unjudged'],
    [429, true, 'unjudged'],
    [500, false, 'failed'],
    [501, false, 'unjudged'],
    [503, true, 'failed'],
  ] as const) {
    it(`find ${finding} in a ${status} ${hasPassed ? 'where' : 'where never'} one passed`, () => {
      assert.equal(findingOf(status, { hasPassed }), finding);
    });
  }
});

/** A timeout of a request that was sent just before. */
const timedOut = (traffic: Traffic, nowMs: number): Traffic =>
  afterTimeout(traffic, { sentMs: nowMs - 1, nowMs, threshold: 2 });

const ejectedFor = (traffic: Traffic, nowMs: number): number =>
  (traffic.ejectedUntilMs - nowMs) / second;

describe('timeouts', () => {
  it('eject after two in a row, and not after two with an answer between', () => {
    const once = timedOut(sound, noon);
    assert.equal(once.ejectedUntilMs, 0);
    assert.equal(timedOut(afterAnswer(once, noon), noon).ejectedUntilMs, 0);
    assert.equal(ejectedFor(timedOut(once, noon), noon), 30);
  });

  it('eject for twice as long each time, up to five minutes, by one timeout on probation', () => {
    let now = noon;
    let traffic = timedOut(sound, now);
    const lasted: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      traffic = timedOut(traffic, now);
      lasted.push(ejectedFor(traffic, now));
      now = traffic.ejectedUntilMs + second;
    }
    assert.deepEqual(lasted, [30, 60, 120, 240, 300, 300]);
  });

  it('of requests that were sent before an ejection ended count no more', () => {
    const ejected = timedOut(timedOut(sound, noon), noon);
    const back = ejected.ejectedUntilMs;
    const late = { nowMs: back + 90 * second, threshold: 2 };
    assert.equal(afterTimeout(ejected, { ...late, sentMs: noon - 1 }), ejected);
    assert.equal(afterTimeout(ejected, { ...late, sentMs: back - 1 }), ejected);
    const again = afterTimeout(ejected, { ...late, sentMs: back });
    assert.equal(ejectedFor(again, late.nowMs), 60);
  });

  it('are forgotten with the first answer on probation', () => {
    const ejected = timedOut(timedOut(sound, noon), noon);
    const answered = afterAnswer(ejected, ejected.ejectedUntilMs);
    assert.equal(answered, sound);
  });
});

describe('an ejection', () => {
  const ejected = timedOut(timedOut(sound, noon), noon);
  it('is shortened neither by an answer nor by a probe', () => {
    for (const after of [afterAnswer(ejected, noon + second), afterReached(ejected)]) {
      assert.equal(outUntilMs(probed(['passed']), after), noon + ejectionMsMin);
    }
  });
});

describe('a clock that was set back', () => {
  const hour = 3600 * second;
  it('keeps no backend out for longer than the longest ejection and rest', () => {
    const ejected = timedOut(timedOut(sound, noon), noon);
    assert.equal(withinClock(ejected, noon), ejected);
    const back = withinClock(ejected, noon - hour);
    assert.equal(back.ejectedUntilMs, noon - hour + ejectionMsMax);
    const resting = afterUnreached(afterUnreached(sound, noon, 2), noon, 2);
    assert.equal(withinClock(resting, noon), resting);
    assert.equal(withinClock(resting, noon - hour).restsUntilMs, noon - hour + restMs);
  });
});

describe('requests that reach nothing', () => {
  const once = afterUnreached(sound, noon, 2);
  const twice = afterUnreached(once, noon, 2);
  it('let a backend rest after two in a row, and again after each further one', () => {
    assert.deepEqual(
      [once, twice].map((traffic) => outUntilMs(unprobed, traffic)),
      [0, noon + restMs],
    );
    const later = noon + restMs;
    assert.equal(afterUnreached(twice, later, 2).restsUntilMs, later + restMs);
  });

  it('are forgotten with an answer and with a passing probe', () => {
    assert.equal(afterAnswer(twice, noon), sound);
    assert.deepEqual(afterReached(twice), sound);
  });
});

type Happening = Readonly<{
  kind: 'answer' | 'timeout' | 'unreached' | 'reached';
  afterMs: number;
}>;

const happenings = fc.array(
  fc.record({
    kind: fc.constantFrom<Happening['kind']>('answer', 'timeout', 'unreached', 'reached'),
    afterMs: fc.constantFrom(0, 1, second, 29 * second, ejectionMsMin, ejectionMsMax),
  }),
  { maxLength: 40 },
);

function happen(traffic: Traffic, { kind }: Happening, nowMs: number): Traffic {
  switch (kind) {
    case 'answer':
      return afterAnswer(traffic, nowMs);
    case 'timeout':
      return afterTimeout(traffic, { sentMs: nowMs, nowMs, threshold: 2 });
    case 'unreached':
      return afterUnreached(traffic, nowMs, 2);
    case 'reached':
      return afterReached(traffic);
  }
}

it('whatever happens, no ejection is shortened, none outlasts five minutes, and an answer ends all that is over', () => {
  fc.assert(
    fc.property(happenings, (list) => {
      let now = noon;
      let traffic = sound;
      for (const one of list) {
        now += one.afterMs;
        const next = happen(traffic, one, now);
        const isEjected = traffic.ejectedUntilMs > now;
        if (isEjected) assert.equal(next.ejectedUntilMs, traffic.ejectedUntilMs);
        assert.ok(next.ejectedUntilMs - now <= ejectionMsMax);
        if (one.kind === 'answer' && !isEjected) assert.equal(next, sound);
        if (one.kind === 'answer') assert.equal(next.restsUntilMs, 0);
        traffic = next;
      }
    }),
  );
});
