// Tests concurrent logins: correct passwords all pass, and wrong ones are not checked beyond the
// limit.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { createLoginLimit, failuresPerMinute } from '../../../src/control/access/login-limit.ts';
import { createLoginTurns, waitingMax } from '../../../src/control/access/login-turns.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

const attempt = { name: 'ada', address: '192.0.2.1' };
const clock = () => 0;

/** `count` concurrent attempts, each decided shortly after it was admitted. */
async function atOnce(count: number, { failed }: Readonly<{ failed: boolean }>) {
  const turns = createLoginTurns(createLoginLimit());
  let underWay = 0;
  let underWayMost = 0;
  const one = async (): Promise<boolean> => {
    const entered = await turns.enter(attempt, clock);
    if (isRefusal(entered)) return false;
    underWayMost = Math.max(underWayMost, (underWay += 1));
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    turns.conclude(attempt, { failed });
    return true;
  };
  const admitted = await Promise.all(Array.from({ length: count }, one));
  return { admitted: admitted.filter(Boolean).length, underWayMost };
}

it('admits twenty concurrent correct passwords, never more at a time than may fail', async () => {
  assert.deepEqual(await atOnce(20, { failed: false }), {
    admitted: 20,
    underWayMost: failuresPerMinute.nameAtAddress,
  });
});

it('checks no more of twenty concurrent wrong passwords than may fail', async () => {
  const { admitted } = await atOnce(20, { failed: true });
  assert.equal(admitted, failuresPerMinute.nameAtAddress);
});

it('bounds the waiting attempts of a network', async () => {
  const count = failuresPerMinute.nameAtAddress + waitingMax;
  assert.equal((await atOnce(count + 10, { failed: false })).admitted, count);
});
