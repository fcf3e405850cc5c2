// Tests the state transitions by a sweep, and the models that are learned and removed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { learnedByPrincipalMax, learnedModelsMax } from '../../src/deciders/learning.ts';
import { isLapsed, isUnwatched } from '../../src/deciders/lease.ts';
import { removalMs } from '../../src/deciders/provider-sweep.ts';
import type { Found, SweepProvider } from '../../src/deciders/provider-sweep.ts';
import { modelId, principalId, providerId } from '../../src/lib/ids.ts';
import {
  backendAttached,
  endpointAt,
  fallbackSet,
  modelCreated,
  modelDeleted,
  permissionGranted,
  providerCreated,
  providerDeleted,
  roleCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const id = providerId.parse(1);
const mine = principalId.parse(2);
const minute = 60_000;

const sweep = (found: Found, times: Partial<SweepProvider> = {}): SweepProvider => ({
  type: 'SweepProvider',
  id,
  found,
  now: 0,
  absentSince: null,
  ...times,
});
const serving = (...ids: readonly string[]): Found => ({
  served: ids.map((one) => ({ id: one, contextLength: null })),
});
const lapsed: Found = { failed: 'the lease lapsed' };

const dynamic = (number = 1, name = 'rack'): GwEvent =>
  providerCreated(number, name, {
    endpoint: endpointAt(`http://10.0.0.${number}/v1`),
    kind: 'dynamic',
  });
const registered = (number = 1, principal = mine): GwEvent => ({
  stream: `provider-${number}`,
  type: 'ProviderRegistered',
  data: { id: providerId.parse(number), principal_id: principal, node: 'n', engine: null },
});
const degraded: GwEvent = {
  stream: 'provider-1',
  type: 'ProviderDegraded',
  data: { id, reason: 'the lease lapsed' },
};
const recovered: GwEvent = { stream: 'provider-1', type: 'ProviderRecovered', data: { id } };
const learned = (number: number, principal = mine): GwEvent => ({
  stream: `model-${number}`,
  type: 'ModelLearned',
  data: { id: modelId.parse(number), principal_id: principal },
});
const detached = (number: number): GwEvent => ({
  stream: `model-${number}`,
  type: 'ModelBackendDetached',
  data: { id: modelId.parse(number) },
});
const described: GwEvent = {
  stream: 'model-1',
  type: 'ModelDescribed',
  data: { id: modelId.parse(1), description: 'ours' },
};
/** Provider 1 serves model 1, which was learned. */
const rack = [dynamic(), registered()];
const qwen = [modelCreated(1, 'qwen'), learned(1), backendAttached(1, 1, 'qwen')];

describe('a sweep', () => {
  it('leaves an active provider that answers as it is', () =>
    given([...rack, ...qwen])
      .when(sweep(serving('qwen')))
      .yields([]));

  it('takes one that does not answer out of rotation, and deletes nothing', () =>
    given([...rack, ...qwen])
      .when(sweep(lapsed))
      .yields([degraded]));

  it('brings a degraded one back that answers', () =>
    given([...rack, ...qwen, degraded])
      .when(sweep(serving('qwen')))
      .yields([recovered]));

  // In these logs, the age of an event in seconds equals its position: the third is at 3 s.
  it('removes a degraded one after half an hour of absence, not a moment sooner', () => {
    const log = given([...rack, degraded]);
    const now = 3_000 + removalMs;
    log.when(sweep(lapsed, { now: now - 1, absentSince: 0 })).yields([]);
    log.when(sweep(lapsed, { now, absentSince: 3_001 })).yields([]);
    log.when(sweep(lapsed, { now, absentSince: null })).yields([]);
    log.when(sweep(lapsed, { now, absentSince: 3_000 })).yields([providerDeleted(1)]);
  });

  it('makes no event of a provider that is not dynamic, or that is gone', () => {
    for (const kind of ['static', 'cloud'] as const) {
      const made = providerCreated(1, 'p', { endpoint: endpointAt('http://10.0.0.1/v1'), kind });
      given([made, ...qwen])
        .when(sweep(lapsed))
        .yields([]);
      given([made, ...qwen])
        .when(sweep(serving('other')))
        .yields([]);
    }
    given([]).when(sweep(lapsed)).yields([]);
  });

  it('learns nothing of a provider that no agent holds yet', () =>
    given([dynamic()])
      .when(sweep(serving('qwen')))
      .yields([]));
});

describe('a learned model', () => {
  it('comes when the provider serves it, and goes when it does so no more', () =>
    given([...rack, ...qwen])
      .when(sweep(serving('llama')))
      .yields([
        modelDeleted(1),
        modelCreated(2, 'llama'),
        learned(2),
        backendAttached(2, 1, 'llama'),
      ]));

  it('stays without a backend when somebody worked on it or something refers to it', () => {
    given([...rack, ...qwen, described])
      .when(sweep(serving()))
      .yields([detached(1)]);
    given([...rack, ...qwen, fallbackSet(1)])
      .when(sweep(serving()))
      .yields([detached(1)]);
  });

  it('that stayed is found again by its name, by the principal that it was learned from', () => {
    const stayed = [...rack, ...qwen, described, detached(1)];
    given(stayed)
      .when(sweep(serving('qwen')))
      .yields([backendAttached(1, 1, 'qwen')]);
    const theirs = principalId.parse(3);
    given([...stayed, dynamic(2, 'other'), registered(2, theirs)])
      .when({ ...sweep(serving('qwen')), id: providerId.parse(2) })
      .yields([modelCreated(2, 'qwen@other'), learned(2, theirs), backendAttached(2, 2, 'qwen')]);
  });

  it('never takes a name that something has or a grant speaks of', () => {
    const made = [modelCreated(2, 'qwen@rack'), learned(2), backendAttached(2, 1, 'qwen')] as const;
    given([...rack, modelCreated(1, 'qwen')])
      .when(sweep(serving('qwen')))
      .yields(made);
    const role = roleCreated(1, 'chat');
    const grant = permissionGranted(1, 'model:invoke', 'model/qwen');
    given([...rack, role, grant])
      .when(sweep(serving('qwen')))
      .yields([modelCreated(1, 'qwen@rack'), learned(1), backendAttached(1, 1, 'qwen')]);
  });

  it('is one of a bounded number', () => {
    const many = Array.from({ length: learnedModelsMax + 5 }, (_, index) => `m${index}`);
    given(rack)
      .when(sweep(serving(...many)))
      .yields(
        many
          .slice(0, learnedModelsMax)
          .flatMap((name, index) => [
            modelCreated(index + 1, name),
            learned(index + 1),
            backendAttached(index + 1, 1, name),
          ]),
      );
  });

  it('is one of a bounded number for all hosts of a principal', () => {
    const full = Array.from({ length: learnedByPrincipalMax / learnedModelsMax }, (_, host) => [
      dynamic(host + 1, `rack-${host}`),
      registered(host + 1),
      ...Array.from({ length: learnedModelsMax }, (__, index) => {
        const number = host * learnedModelsMax + index + 1;
        const name = `m${number}`;
        return [
          modelCreated(number, name),
          learned(number),
          backendAttached(number, host + 1, name),
        ];
      }).flat(),
    ]).flat();
    const next = learnedByPrincipalMax / learnedModelsMax + 1;
    given([...full, dynamic(next, 'more'), registered(next)])
      .when({ ...sweep(serving('qwen')), id: providerId.parse(next) })
      .yields([]);
  });

  it('yields its name to an operator, but not once something refers to it', () => {
    const create = { type: 'CreateModel', name: 'qwen', fields: {} } as const;
    const renamed: GwEvent = {
      stream: 'model-1',
      type: 'ModelRenamed',
      data: { id: modelId.parse(1), name: 'qwen@rack' },
    };
    given([...rack, ...qwen])
      .when(create)
      .yields([renamed, modelCreated(2, 'qwen')]);
    const taken = [modelCreated(2, 'qwen@rack')];
    given([...rack, ...qwen, ...taken])
      .when(create)
      .yields([modelDeleted(1), modelCreated(3, 'qwen')]);
    const grant = permissionGranted(1, 'model:invoke', 'model/qwen');
    for (const pointing of [[fallbackSet(1)], [roleCreated(1, 'chat'), grant]]) {
      given([...rack, ...qwen, ...pointing])
        .when(create)
        .refuses('conflict', /model qwen exists/, 'name');
    }
  });

  it('has a name that a model can have: one of no such name is not learned', () =>
    given(rack)
      .when(sweep(serving('*', ' ', 'qwen')))
      .yields(qwen));

  it('goes with its provider, and what an operator attached loses its backend', () => {
    const own = [modelCreated(2, 'own'), backendAttached(2, 1, 'other')];
    const times = { now: removalMs * 2, absentSince: 0 };
    given([...rack, ...qwen, ...own, degraded])
      .when(sweep(lapsed, times))
      .yields([modelDeleted(1), detached(2), providerDeleted(1)]);
    given([...rack, ...qwen, ...own])
      .when(sweep(serving('qwen')))
      .yields([]);
  });
});

it('a lease lapses with its last millisecond, and none has not lapsed', () => {
  const lease = { expiresAt: new Date(1_000) };
  assert.deepEqual(
    [999, 1_000].map((now) => isLapsed(lease, now)),
    [false, true],
  );
  assert.equal(isLapsed(undefined, 1_000), false);
});

it('time between sweeps is watched until two intervals and a half are over', () => {
  const cases = [
    [null, true],
    [7 * minute, true],
    [7.5 * minute, false],
    [9 * minute, false],
  ] as const;
  for (const [previous, isOver] of cases) {
    const times = { now: 10 * minute, intervalMs: minute };
    assert.equal(isUnwatched(previous, times), isOver, String(previous));
  }
});
