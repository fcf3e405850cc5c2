// Tests the request of the deployment form, and how the status is read.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  changeOf,
  draftOf,
  fieldsBeside,
  rolloutOf,
  statusOf,
  toneOfCondition,
} from '../../../../ui/lib/observe/deployment.ts';

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

it('omits untouched fields, and resets an emptied number to its default', () => {
  const draft = draftOf(spec);
  assert.deepEqual(changeOf(draft, spec), {});
  const changed = { ...draft, replicas: '5', workers: ' ', autoscaling_enabled: true };
  assert.deepEqual(changeOf(changed, spec), {
    replicas: 5,
    workers: null,
    autoscaling_enabled: true,
  });
});

it('a status of an older generation does not describe the change', () => {
  const status = { phase: 'Ready', observedGeneration: 3, proxyReplicas: '2/2', conditions: [] };
  assert.equal(rolloutOf(statusOf({ generation: 4, status })).word, 'waiting for operator');
  assert.equal(rolloutOf(statusOf({ generation: 3, status })).word, 'Ready');
  assert.equal(rolloutOf(statusOf({ generation: 3, status: null })).word, 'no operator');
});

it('shows the known fields of a status from another release', () => {
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

it('a condition that reports a problem is good when it is false', () => {
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

it('each field shows its desired and actual value', () => {
  const status = statusOf({
    generation: 2,
    status: {
      phase: 'Upgrading',
      observedGeneration: 2,
      observedImage: 'gw:1',
      proxyReplicas: '1/2',
    },
  });
  const wanted = { ...spec, image: 'gw:2' };
  const rows = new Map(fieldsBeside(wanted, status).map((one) => [one.id, one]));
  assert.deepEqual([rows.get('image')?.wanted, rows.get('image')?.live], ['gw:2', 'gw:1']);
  assert.equal(rows.get('replicas')?.live, '1/2 ready');
  assert.deepEqual(
    [rows.get('workers')?.live, rows.get('workers')?.tone],
    ['being rolled out', 'info'],
  );
  const done = statusOf({
    generation: 2,
    status: { phase: 'Ready', observedGeneration: 2, observedImage: 'gw:2', proxyReplicas: '2/2' },
  });
  const tones = fieldsBeside(wanted, done).map(({ tone }) => tone);
  assert.deepEqual(new Set(tones), new Set(['good']));
  const unseen = fieldsBeside(wanted, null).map(({ live }) => live);
  assert.ok(unseen.every((live) => live === 'no operator yet'));
});
