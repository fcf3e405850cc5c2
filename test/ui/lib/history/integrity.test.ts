// Tests the texts for witnesses, projections, checkpoints and verifications of the log.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  behindState,
  driftText,
  unsignedText,
  verifiedState,
  witnessState,
} from '../../../../ui/lib/history/integrity.ts';

it('says that a replica agrees until an unexplained alarm contradicts it', () => {
  const alarm = { replica: 'a', explained_by_epoch: null };
  const seen = { replica: 'a', log_seen: [{ position: 7 }] };
  const cases = [
    [seen, [], 'agrees'],
    [seen, [alarm], 'contradicts'],
    [seen, [{ ...alarm, explained_by_epoch: 2 }], 'agrees'],
    [seen, [{ ...alarm, replica: 'b' }], 'agrees'],
    [seen, [{ ...alarm, replica: null }], 'agrees'],
    [{ replica: 'a', log_seen: [] }, [], 'no hashes yet'],
    [{ replica: 'a' }, [], 'no hashes yet'],
    [{ replica: 'a' }, [alarm], 'contradicts'],
  ] as const;
  for (const [witness, alarms, word] of cases) {
    assert.equal(witnessState(witness, alarms).word, word, JSON.stringify([witness, alarms]));
  }
});

it('does not show unknown values as current or correct', () => {
  assert.deepEqual(
    [null, 0, 1_200].map((lag) => behindState(lag).word),
    ['no data', 'current', '1,200 behind'],
  );
  assert.deepEqual([null, 0, 1, 2].map(driftText), [
    null,
    'Match recorded usage',
    '1 budget differs from recorded usage',
    '2 budgets differ from recorded usage',
  ]);
});

it('counts the unsigned events, and tells a missing key from a missing checkpoint', () => {
  const signed = { last: 9, among: 1_000, hasKey: true };
  assert.equal(unsignedText(9, signed), 'The whole log is signed');
  assert.equal(unsignedText(10, signed), '1 unsigned event');
  assert.equal(
    unsignedText(9, { ...signed, last: null }),
    'No checkpoint in the last 1,000 events',
  );
  assert.equal(unsignedText(9, { ...signed, last: null, hasKey: false }), 'No audit key is set');
});

it('says which part of the log a verification covers', () => {
  const cases = [
    [null, 'plain', 'not verified yet', ''],
    [{ position: 1_200, problem_count: 0 }, 'good', 'verified', 'the whole log'],
    [{ position: 900, problem_count: 0 }, 'good', 'verified', 'up to 900 of 1,200'],
    [{ position: 1_200, problem_count: 2 }, 'bad', '2 problems', 'the whole log'],
  ] as const;
  for (const [last, tone, word, upTo] of cases) {
    assert.deepEqual(verifiedState(last, 1_200), { tone, word, upTo });
  }
});
