// Holds what the log's proofs and what is derived from it come to, in words.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  behindState,
  driftText,
  unsignedText,
  verifiedState,
  witnessState,
} from '../../../ui/lib/history/integrity.ts';

it('a replica agrees with the log until an alarm that nothing explains tells otherwise', () => {
  const alarm = { replica: 'a', explained_by_epoch: null };
  const seen = { replica: 'a', log_seen: [{ position: 7 }] };
  const cases = [
    [seen, [], 'agrees'],
    [seen, [alarm], 'contradicts'],
    [seen, [{ ...alarm, explained_by_epoch: 2 }], 'agrees'],
    [seen, [{ ...alarm, replica: 'b' }], 'agrees'],
    [seen, [{ ...alarm, replica: null }], 'agrees'],
    [{ replica: 'a', log_seen: [] }, [], 'saw none'],
    [{ replica: 'a' }, [], 'saw none'],
    [{ replica: 'a' }, [alarm], 'contradicts'],
  ] as const;
  for (const [witness, alarms, word] of cases) {
    assert.equal(witnessState(witness, alarms).word, word, JSON.stringify([witness, alarms]));
  }
});

it('what is not known is neither current nor in order', () => {
  assert.deepEqual(
    [null, 0, 1_200].map((lag) => behindState(lag).word),
    ['no data', 'current', '1,200 behind'],
  );
  assert.deepEqual([null, 0, 1, 2].map(driftText), [
    null,
    'agree with their usage',
    '1 budget not the sum of their usage',
    '2 budgets not the sum of their usage',
  ]);
});

it('what came behind the last checkpoint is counted, and none among many is not the lack of a key', () => {
  const signed = { last: 9, among: 1_000, hasKey: true };
  assert.equal(unsignedText(9, signed), 'all of it');
  assert.equal(unsignedText(10, signed), '1 event since');
  assert.equal(unsignedText(9, { ...signed, last: null }), 'nothing of the last 1,000 events');
  assert.equal(unsignedText(9, { ...signed, last: null, hasKey: false }), 'no audit key is set');
});

it('a verification holds for the part of the log that it read, and one that was not made is not in order', () => {
  const cases = [
    [null, 'plain', 'not verified yet', ''],
    [{ position: 1_200, problem_count: 0 }, 'good', 'holds', 'all of it'],
    [{ position: 900, problem_count: 0 }, 'good', 'holds', 'up to 900 of 1,200'],
    [{ position: 1_200, problem_count: 2 }, 'bad', '2 problems', 'all of it'],
  ] as const;
  for (const [last, tone, word, upTo] of cases) {
    assert.deepEqual(verifiedState(last, 1_200), { tone, word, upTo });
  }
});
