// Tests calendar windows of budgets by examples of irregular days and by properties over all time zones.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { calendarEnd, calendarWindow } from '../../src/limits/calendar.ts';
import { calendarUnit } from '../../src/lib/vocabulary.ts';

// unit, time zone, an instant -> the start of its window, the end, and the length in hours
const cases = [
  ['day', 'UTC', '2026-11-23T09:00Z', '2026-11-23T00:00Z', '2026-11-24T00:00Z', 24],
  ['week', 'UTC', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00Z', '2026-11-23T00:00Z', 168],
  ['week', 'UTC', '2026-11-23T00:00Z', '2026-11-23T00:00Z', '2026-11-30T00:00Z', 168],
  // The ISO week 53 of 2026 ends in the next year.
  ['week', 'UTC', '2027-01-02T12:00Z', '2026-12-28T00:00Z', '2027-01-04T00:00Z', 168],
  ['month', 'UTC', '2028-02-29T12:00Z', '2028-02-01T00:00Z', '2028-03-01T00:00Z', 696],
  ['month', 'UTC', '1969-12-31T23:59Z', '1969-12-01T00:00Z', '1970-01-01T00:00Z', 744],
  ['month', 'Europe/Zurich', '2026-11-23T09:00Z', '2026-10-31T23:00Z', '2026-11-30T23:00Z', 720],
  // Summer time begins and ends within the month.
  ['month', 'Europe/Zurich', '2026-03-09T09:00Z', '2026-02-28T23:00Z', '2026-03-31T22:00Z', 743],
  ['day', 'Europe/Zurich', '2026-03-29T09:00Z', '2026-03-28T23:00Z', '2026-03-29T22:00Z', 23],
  ['day', 'Europe/Zurich', '2026-10-25T09:00Z', '2026-10-24T22:00Z', '2026-10-25T23:00Z', 25],
  ['week', 'America/New_York', '2026-03-08T09:00Z', '2026-03-02T05:00Z', '2026-03-09T04:00Z', 167],
  // Zones with half and quarter hours.
  ['day', 'Asia/Kolkata', '2026-10-03T18:30Z', '2026-10-03T18:30Z', '2026-10-04T18:30Z', 24],
  ['day', 'Asia/Kathmandu', '2026-10-03T18:14Z', '2026-10-02T18:15Z', '2026-10-03T18:15Z', 24],
  [
    'day',
    'Australia/Lord_Howe',
    '2026-10-03T23:00Z',
    '2026-10-03T13:30Z',
    '2026-10-04T13:00Z',
    23.5,
  ],
  // Summer time begins at midnight: the day begins at 01:00.
  ['day', 'America/Sao_Paulo', '2018-11-04T09:00Z', '2018-11-04T03:00Z', '2018-11-05T02:00Z', 23],
  // Midnight occurs twice: the day begins at the first.
  ['day', 'America/Havana', '2026-11-01T09:00Z', '2026-11-01T04:00Z', '2026-11-02T05:00Z', 25],
  // At 00:01 the clock returns to 23:01 of the day before; that hour belongs to the new day.
  ['day', 'America/St_Johns', '2006-10-29T02:45Z', '2006-10-29T02:30Z', '2006-10-30T03:30Z', 25],
  // Samoa had no 30 December 2011.
  ['day', 'Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29T10:00Z', '2011-12-30T10:00Z', 24],
  ['day', 'Pacific/Apia', '2011-12-30T10:00Z', '2011-12-30T10:00Z', '2011-12-31T10:00Z', 24],
  ['month', 'Pacific/Apia', '2011-12-20T00:00Z', '2011-12-01T10:00Z', '2011-12-31T10:00Z', 720],
] as const;

for (const [unit, timeZone, now, start, end, hours] of cases) {
  it(`gives the ${unit} in ${timeZone} of ${now}`, () => {
    const { startMs, endMs } = calendarWindow({ unit, time_zone: timeZone }, Date.parse(now));
    assert.deepEqual(
      [new Date(startMs).toISOString(), new Date(endMs).toISOString(), hoursOf(endMs - startMs)],
      [new Date(start).toISOString(), new Date(end).toISOString(), hours],
    );
  });
}

const hoursOf = (milliseconds: number): number => milliseconds / 3_600_000;

const calendars = fc.record({
  unit: fc.constantFrom(...calendarUnit.options),
  time_zone: fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone')),
});
const instants = fc.integer({ min: Date.parse('1971-01-01'), max: Date.parse('2100-01-01') });

it('gives windows that contain the instant and follow each other without gap or overlap', () => {
  fc.assert(
    fc.property(calendars, instants, (calendar, nowMs) => {
      const window = calendarWindow(calendar, nowMs);
      const { startMs, endMs } = window;
      assert.ok(startMs <= nowMs && nowMs < endMs);
      for (const within of [startMs, endMs - 1]) {
        assert.deepEqual(calendarWindow(calendar, within), window);
      }
      assert.equal(calendarWindow(calendar, endMs).startMs, endMs);
      assert.equal(calendarWindow(calendar, startMs - 1).endMs, startMs);
    }),
    { numRuns: 500 },
  );
});

it('gives an end that is after now and begins a new local date', () => {
  fc.assert(
    fc.property(calendars, instants, (calendar, nowMs) => {
      const endMs = calendarEnd(calendar, nowMs);
      assert.ok(endMs > nowMs);
      assert.notEqual(dateIn(calendar.time_zone, endMs), dateIn(calendar.time_zone, endMs - 1));
    }),
    { numRuns: 500 },
  );
});

const dateIn = (timeZone: string, atMs: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(atMs);
