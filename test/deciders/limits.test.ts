// Tests commands on the rate limits of a principal.

import { describe, it } from 'node:test';

import { principalId } from '../../src/lib/ids.ts';
import {
  limitsCleared,
  limitsSet,
  plainName,
  principalCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const id = principalId.parse(1);
const ci = principalCreated(1, plainName('ci'));

const set = (requestsPerMin: number | null, tokensPerMin: number | null = null) =>
  ({ type: 'SetLimits', id, limits: { requestsPerMin, tokensPerMin } }) as const;
const clear = { type: 'ClearLimits', id } as const;

describe('the limits of a principal', () => {
  it('are set: requests, tokens or both', () => {
    for (const [requests, tokens] of [
      [60, null],
      [null, 100_000],
      [60, 100_000],
    ] as const) {
      given([ci])
        .when(set(requests, tokens))
        .yields([limitsSet(1, requests, tokens)]);
    }
  });

  it('are both replaced: what is not given is unlimited again', () =>
    given([ci, limitsSet(1, 60, 100_000)])
      .when(set(null, 5))
      .yields([limitsSet(1, null, 5)]));

  it('set to what they are change nothing', () =>
    given([ci, limitsSet(1, 60, 100)])
      .when(set(60, 100))
      .yields([]));

  it('that limit nothing are refused', () =>
    given([ci])
      .when(set(null))
      .refuses('invalid', /requests_per_min or tokens_per_min must be set/, 'requests_per_min'));

  it('are cleared', () =>
    given([ci, limitsSet(1, 60)])
      .when(clear)
      .yields([limitsCleared(1)]));

  it('that are not there cannot be cleared, nor twice', () => {
    given([ci])
      .when(clear)
      .refuses('absent', /principal 1 has no limits/);
    given([ci, limitsSet(1, 60), limitsCleared(1)])
      .when(clear)
      .refuses('absent', /principal 1 has no limits/);
  });

  it('need a principal', () => {
    for (const command of [set(60), clear]) {
      given([])
        .when(command)
        .refuses('absent', /principal 1 does not exist/);
    }
  });
});
