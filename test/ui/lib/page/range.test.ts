// Tests how a time range is chosen, written in the address and sent to the server: both ends, one
// or none, in UTC or local time, also when clocks change.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readEnds, writeEnds } from '../../../../ui/lib/page/range.ts';
import { readTypedEnds } from '../../../../ui/lib/page/typed-ends.ts';
import { readWallTime, writeWallTime } from '../../../../ui/lib/text/wall-time.ts';

const iso = (text: string, zone: 'utc' | 'local'): string => {
  const read = readWallTime(text, zone);
  return 'at' in read ? new Date(read.at).toISOString() : read.wrong;
};

/** Runs as if the browser were in this time zone, which tests of one process share. */
function inZone(name: string, run: () => void): void {
  const before = process.env['TZ'];
  process.env['TZ'] = name;
  try {
    run();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
}

const noTime = 'must be a time such as 2026-11-21 14:05';

describe('a time that is typed', () => {
  const cases: readonly (readonly [zone: 'utc' | 'local', typed: string, read: string])[] = [
    ['utc', '2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['utc', ' 2026-11-21 14:05 ', '2026-11-21T14:05:00.000Z'],
    ['utc', '2026-11-21T14:05:09', '2026-11-21T14:05:09.000Z'],
    ['utc', '2026-11-21 14:05 UTC', '2026-11-21T14:05:00.000Z'],
    ['utc', '2026-11-21T14:05:09.25+01:00', '2026-11-21T13:05:09.250Z'],
    ['utc', '2026-02-30 10:00', noTime],
    ['utc', '2026-11-21 24:00', noTime],
    ['utc', '11/21/2026 2:05 PM', noTime],
    ['utc', 'yesterday', noTime],
    ['utc', '', noTime],
    ['local', '2026-07-01 12:00', '2026-07-01T10:00:00.000Z'],
    ['local', '2026-12-01 12:00', '2026-12-01T11:00:00.000Z'],
    ['local', '2026-12-01 12:00Z', '2026-12-01T12:00:00.000Z'],
    ['local', '2026-03-29 01:59', '2026-03-29T00:59:00.000Z'],
    ['local', '2026-03-29 03:00', '2026-03-29T01:00:00.000Z'],
    ['local', '2026-03-29 02:30', 'does not exist: clocks are set forward to 2026-03-29 03:30'],
    ['local', '2026-10-25 02:30', '2026-10-25T00:30:00.000Z'],
    ['local', '2026-10-25 02:30+01:00', '2026-10-25T01:30:00.000Z'],
  ];
  for (const [zone, typed, read] of cases) {
    it(`${JSON.stringify(typed)} in ${zone} is ${read}`, () => {
      inZone('Europe/Berlin', () => assert.equal(iso(typed, zone), read));
    });
  }

  it('is read as the written moment, in both hours of a repeated one', () => {
    inZone('Europe/Berlin', () => {
      const moments = ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-10-25T00:30:00Z'];
      for (const text of [...moments, '2026-10-25T01:30:00Z', '2026-11-21T14:05:09Z']) {
        for (const zone of ['utc', 'local'] as const) {
          const at = Date.parse(text);
          assert.deepEqual(readWallTime(writeWallTime(at, zone), zone), { at }, `${text} ${zone}`);
        }
      }
      const second = Date.parse('2026-10-25T01:30:00Z');
      assert.equal(writeWallTime(second, 'local'), '2026-10-25 02:30+01:00');
    });
  });
});

describe('a range in the address', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const [a, b] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];
  const cases: readonly (readonly [string, string | null, string | null])[] = [
    ['', null, null],
    ['1h', '2026-11-21T11:00:00.000Z', null],
    [`${a}/${b}`, a, b],
    [`${a}/`, a, null],
    [`/${b}`, null, b],
  ];
  for (const [text, since, until] of cases) {
    it(`${JSON.stringify(text)} is from ${since} until ${until}`, () => {
      const ends = readEnds(text, now);
      const shown = [ends?.since, ends?.until].map((at) =>
        at === null || at === undefined ? null : new Date(at).toISOString(),
      );
      assert.deepEqual(shown, [since, until]);
      if (ends !== null && !text.endsWith('h')) assert.equal(writeEnds(ends), text);
    });
  }

  it('is null if it ends before it begins or is invalid', () => {
    for (const text of [`${b}/${a}`, `${a}/${a}`, 'ever', `${a}/tomorrow`, a]) {
      assert.equal(readEnds(text, now), null, text);
    }
  });
});

describe('two ends that are typed', () => {
  const [a, b] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)];
  const cases: readonly (readonly [
    since: string,
    until: string,
    isOpen: boolean,
    read: ReturnType<typeof readTypedEnds>,
  ])[] = [
    ['2026-11-01', '2026-11-02', false, { since: a, until: b }],
    ['2026-11-01', '', false, null],
    ['2026-11-01', '', true, { since: a, until: null }],
    ['', '2026-11-02', true, { since: null, until: b }],
    ['', '', true, { since: null, until: null }],
    ['2026-11-02', '2026-11-01', true, { wrong: 'From must be before Until' }],
    ['2026-11-32', '', true, { wrong: `From ${noTime}` }],
    ['', 'noon', true, { wrong: `Until ${noTime}` }],
  ];
  for (const [since, until, isOpen, read] of cases) {
    it(`${JSON.stringify([since, until])}${isOpen ? ', either may be missing' : ''}`, () => {
      assert.deepEqual(readTypedEnds({ since, until }, { zone: 'utc', isOpen }), read);
    });
  }
});
