// Tests the summary of replica reports: which replicas lag or are stuck, and the states of
// backends.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  backendMatrix,
  fleetState,
  healthText,
  isBehind,
  replicaState,
} from '../../../../ui/lib/observe/fleet.ts';

const at = Date.UTC(2026, 10, 21, 12);
const published = { version: 5, at, reportSeconds: 10, pollSeconds: 10 };
const seconds = (count: number): string => new Date(at + count * 1_000).toISOString();
const replica = {
  replica: 'one',
  snapshot_version: 4,
  reported_at: seconds(1),
  age_seconds: 0,
  refused_snapshot: null,
};
const backend = {
  api_base: 'https://engine.example/v1',
  model: 'gpt',
  healthy: true,
  inflight: 2,
  requests_total: 10,
  errors_total: 1,
};

it('a report from before the publication does not mark a replica as lagging', () => {
  const early = { ...replica, reported_at: seconds(-3), age_seconds: 3 };
  assert.equal(isBehind(early, published), false);
  assert.equal(replicaState(early, published, at).word, 'report pending');
  assert.equal(isBehind({ ...early, age_seconds: 11 }, published), true);
  assert.equal(isBehind(replica, published), true);
  assert.equal(isBehind({ ...replica, snapshot_version: 5 }, published), false);
});

it('a replica that had time to poll and report is stuck', () => {
  const word = (now: number) => replicaState(replica, published, now).word;
  assert.deepEqual([word(at + 2_000), word(at + 21_000)], ['behind', 'stuck']);
  const current = { ...replica, snapshot_version: 5 };
  assert.equal(replicaState(current, published, at).word, 'current');
  const refusing = { ...replica, refused_snapshot: { version: 5, reason: 'too new' } };
  assert.equal(replicaState(refusing, published, at).word, 'refuses v5');
});

it('a backend that two replicas see is counted once', () => {
  const down = { ...backend, healthy: false };
  const replicas = [
    { ...replica, backends: [down] },
    { ...replica, snapshot_version: 5, backends: [down] },
  ];
  const state = fleetState(replicas, { own: [down], published });
  assert.deepEqual(state, { replicas: 2, behind: 1, backends: 1, down: 1 });
});

it('lists backends that are down first, with the number of replicas', () => {
  const other = { ...backend, model: 'zephyr' };
  const rows = backendMatrix([
    { replica: 'one', backends: [backend, { ...other, healthy: false }] },
    { replica: 'two', backends: [backend, other] },
  ]);
  assert.deepEqual(
    rows.map((row) => [row.model, healthText(row), row.inflight, row.errors]),
    [
      ['zephyr', 'down on 1 of 2 replicas', 4, 2],
      ['gpt', 'healthy on 2 replicas', 4, 2],
    ],
  );
});
