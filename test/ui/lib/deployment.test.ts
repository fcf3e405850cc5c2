// Holds what the form of the managed deployment sends, and how its status is read.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  changeOf,
  draftOf,
  rolloutOf,
  statusOf,
  toneOfCondition,
} from '../../../ui/lib/deployment.ts';

const spec = {
  image: 'registry.example/gw:1.0.0',
  proxy: {
    replicas: 2,
    policy: 'cacheAffinity',
    upstream_timeout: 120,
    workers: 1,
    pool_max_idle: 256,
    autoscaling: {
      enabled: false,
      minReplicas: 2,
      maxReplicas: 10,
      targetCpuUtilizationPercentage: 70,
    },
  },
};

it('what was not touched is not sent, and an emptied number takes its default again', () => {
  const draft = draftOf(spec);
  assert.deepEqual(changeOf(draft, spec), {});
  const changed = { ...draft, replicas: '5', workers: ' ', autoscaling_enabled: true };
  assert.deepEqual(changeOf(changed, spec), {
    replicas: 5,
    workers: null,
    autoscaling_enabled: true,
  });
});

it('a status of an older generation says nothing of the change', () => {
  const status = { phase: 'Ready', observedGeneration: 3, proxyReplicas: '2/2', conditions: [] };
  assert.equal(rolloutOf(statusOf({ generation: 4, status })).word, 'change not seen yet');
  assert.equal(rolloutOf(statusOf({ generation: 3, status })).word, 'Ready');
  assert.equal(
    rolloutOf(statusOf({ generation: 3, status: null })).word,
    'not seen by an operator',
  );
});

it('of a status of another release what is understood is shown', () => {
  const status = statusOf({
    generation: 1,
    status: { phase: 7, conditions: [{ type: 'Ready' }, 3] },
  });
  assert.equal(status?.phase, 'unknown');
  assert.deepEqual(
    status?.conditions.map(({ type, status: is }) => [type, is]),
    [['Ready', 'Unknown']],
  );
});

it('a condition that something is amiss is good when it does not hold', () => {
  const tones = [
    ['Ready', 'True', 'good'],
    ['Ready', 'False', 'warn'],
    ['Degraded', 'False', 'good'],
    ['Degraded', 'True', 'warn'],
    ['Progressing', 'True', 'info'],
    ['Progressing', 'False', 'plain'],
    ['Ready', 'Unknown', 'plain'],
  ] as const;
  for (const [type, status, tone] of tones) {
    assert.equal(toneOfCondition({ type, status }), tone, `${type} ${status}`);
  }
});
