// Tests the changes between two reports of a replica: a table of reported backends and resulting
// events.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { transitionsBetween } from '../../../src/control/fleet/fleet-transitions.ts';
import { backendOf, healthOf } from '../../harness/gateway/health.ts';

/** Two backends with one name. */
const twins = (healthy: readonly boolean[]) => ({
  ...healthOf('r1'),
  backends: healthy.map((one) => backendOf('a', one)),
});

const events = (before: readonly boolean[], after: readonly boolean[]) =>
  transitionsBetween(twins(before), twins(after)).map(({ type }) => type);

describe('between two reports', () => {
  const up = true;
  const down = false;
  for (const [what, before, after, events] of [
    ['nothing changed', { a: up, b: down }, { a: up, b: down }, []],
    ['one went down', { a: up, b: up }, { a: up, b: down }, ['backend_down b']],
    ['one recovered', { a: down }, { a: up }, ['backend_recovered a']],
    [
      'two crossed',
      { a: up, b: down },
      { a: down, b: up },
      ['backend_down a', 'backend_recovered b'],
    ],
    ['a new one is down', {}, { a: down }, ['backend_down a']],
    ['a new one is up', {}, { a: up }, []],
    ['one that was down is gone', { a: down }, {}, []],
  ] as const) {
    it(`${what}: ${events.join(', ') || 'no event'}`, () => {
      const found = transitionsBetween(
        healthOf('r1', { backends: before }),
        healthOf('r1', { backends: after }),
      );
      assert.deepEqual(
        found.map(({ type, data }) => `${type} ${data.model}`),
        events,
      );
    });
  }

  it('an event names the replica and the backend', () => {
    const [found] = transitionsBetween(
      healthOf('r1', { backends: { a: up } }),
      healthOf('r1', { backends: { a: down } }),
    );
    const { api_base } = backendOf('a', down);
    const data = { replica: 'r1', api_base, model: 'a' };
    assert.deepEqual(found, { type: 'backend_down', data });
  });

  it('two backends with one name count as the less healthy one', () => {
    assert.deepEqual(events([up, up], [down, up]), ['backend_down']);
    assert.deepEqual(events([down, up], [up, down]), []);
    assert.deepEqual(events([up, down], [up, up]), ['backend_recovered']);
  });
});

describe('a first report', () => {
  const report = healthOf('r1', { backends: { a: false }, uptimeSeconds: 60 });
  it('emits nothing', () => assert.deepEqual(transitionsBetween(null, report), []));

  it('includes the first report of a restarted process', () => {
    const anew = healthOf('r1', { backends: { a: true }, uptimeSeconds: 1 });
    assert.deepEqual(transitionsBetween(report, anew), []);
  });
});
