// Tests the texts about the effect of a proposal on recorded requests.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { amountText, destinationText, gapsOf, changedCount, verdictText } from '../../words.ts';

const none = { requests: 500, same: 500, newly_denied: 0, newly_allowed: 0, rerouted: 0 };
const summary = {
  recorded: 500,
  compared: 500,
  not_reached: 0,
  without_version: 0,
  has_older: false,
  total: { ...none, not_told: 0, unpriced: 0 },
};

it('describes the effect of a proposal on requests, and what was left out', () => {
  assert.equal(
    verdictText(summary),
    'None of 500 requests would have been rerouted, denied or allowed',
  );
  const total = { ...summary.total, rerouted: 12, newly_denied: 1 };
  assert.equal(
    verdictText({ ...summary, total }),
    'Of 500 requests, 12 would have been rerouted, 1 been denied',
  );
  assert.equal(changedCount(total), 13);
  assert.deepEqual(gapsOf(summary), []);
  assert.deepEqual(gapsOf({ ...summary, recorded: 9_000, total: { ...total, unpriced: 2 } }), [
    '500 of 9000 requests were compared.',
    '2 without a price are excluded from the cost.',
  ]);
});

it('amounts stay exact', () => {
  assert.equal(amountText('1234567.0000012'), '$1,234,567.0000012');
  assert.equal(amountText('-0.5', { signed: true }), '-$0.50');
  assert.equal(amountText('3', { signed: true }), '+$3.00');
  assert.equal(amountText('0.000000', { signed: true }), '$0.00');
  assert.equal(amountText('-0.119289', { signed: true, digits: 4 }), '-$0.1192');
  assert.equal(amountText('-0.000054', { signed: true, digits: 4 }), '> -$0.0001');
  assert.equal(amountText('0.000054', { digits: 4 }), '< $0.0001');
  assert.equal(amountText('0.0001', { digits: 4 }), '$0.0001');
});

it('a destination is a model, a pool or a refusal', () => {
  const to = { kind: 'pool', name: 'fast' } as const;
  assert.equal(destinationText({ denied: null, route: 'rule:0', to }), 'pool fast (rule:0)');
  const denied = { status: 403, message: 'no' };
  assert.equal(destinationText({ denied, route: 'rule:1', to: null }), 'denied, 403');
  assert.equal(destinationText(null), 'unknown');
});
