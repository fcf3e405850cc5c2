// Tests which loading state is shown for data.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { stageOf } from '../../../../ui/lib/page/stage.ts';

const failure = new Error('cannot reach the control plane');

it('shows no skeleton after a failed first load, and keeps existing data', () => {
  const cases = [
    [{ value: undefined, failure: null }, 'loading'],
    [{ value: undefined, failure }, 'failed'],
    [{ value: [], failure: null }, 'empty'],
    [{ value: [], failure }, 'empty'],
    [{ value: [1], failure }, 'shown'],
    [{ value: { rows: [] }, failure: null }, 'shown'],
    [{ value: null, failure: null }, 'shown'],
  ] as const;
  for (const [attempt, stage] of cases) {
    assert.equal(stageOf<unknown>(attempt), stage, JSON.stringify(attempt));
  }
});
