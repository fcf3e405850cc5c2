// Tests the forecasts of budgets.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { basisText, forecastOf, forecastText } from '../../../../ui/lib/access/forecast.ts';

const dayMs = 86_400_000;
const start = Date.parse('2026-11-01T00:00:00Z');
const budget: Parameters<typeof forecastOf>[0] = {
  tokens_total: null,
  tokens_used: 500,
  cost_total_micros: 100,
  cost_used_micros: 30,
  window_start: '2026-11-01T00:00:00Z',
  window_end: '2026-12-01T00:00:00Z',
};

const on = (days: number, change: Partial<typeof budget> = {}) => {
  const now = start + days * dayMs;
  const forecast = forecastOf({ ...budget, ...change }, now);
  return forecast === null ? null : [forecast.cap, forecastText(forecast, now)];
};

it('names the time at which the average rate uses the budget up', () => {
  assert.deepEqual(on(6), ['money', 'used up in 14 d']);
  const now = start + 6 * dayMs;
  const forecast = forecastOf(budget, now);
  assert.equal(forecast?.usedUpAt, start + 20 * dayMs);
  assert.ok(forecast !== null);
  assert.equal(
    basisText(forecast),
    'At the average rate of the last 6 d, since the window started',
  );
});

it('says how much is used at the end if the budget lasts', () => {
  assert.deepEqual(on(15), ['money', '60 % at the end']);
  assert.deepEqual(on(10, { cost_used_micros: 0 }), ['money', '0 % at the end']);
  // A budget that lasts is never shown as completely used.
  assert.deepEqual(on(9.0001), ['money', '99.9 % at the end']);
});

it('considers the cap that is used up first', () => {
  assert.deepEqual(on(15, { tokens_total: 600 }), ['tokens', 'used up in 3 d']);
});

it('a budget that is used up already says so', () => {
  assert.deepEqual(on(10, { cost_used_micros: 100 }), ['money', 'used up']);
  assert.deepEqual(on(10, { cost_used_micros: 150 }), ['money', 'used up']);
});

it('there is no forecast too early, after the window, without a window, and without a cap', () => {
  assert.equal(on(1), null);
  assert.equal(on(31), null);
  assert.equal(forecastOf({ ...budget, window_start: null }, start + 6 * dayMs), null);
  assert.equal(forecastOf({ ...budget, cost_total_micros: null }, start + 6 * dayMs), null);
});
