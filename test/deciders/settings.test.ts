// The rules of change for the deployment's settings.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { modelId } from '../../src/lib/ids.ts';
import {
  credentialOf,
  endpointAt,
  fallbackSet,
  modelCreated,
  modelDeleted,
  providerCreated,
} from '../harness/examples.ts';
import { given, testRef } from '../harness/given.ts';

const set = (id: number | null) =>
  ({ type: 'SetFallbackModel', modelId: id === null ? null : modelId.parse(id) }) as const;
const gpt = modelCreated(1, 'gpt');

describe('the fallback model', () => {
  it('is a model that exists', () =>
    given([gpt])
      .when(set(1))
      .yields([fallbackSet(1)]));

  it('is not one that does not exist, or no more', () => {
    given([])
      .when(set(1))
      .refuses('absent', /model 1 does not exist/, 'model_id');
    given([gpt, modelDeleted(1)])
      .when(set(1))
      .refuses('absent', /model 1 does not exist/, 'model_id');
  });

  it('is cleared with null', () =>
    given([gpt, fallbackSet(1)])
      .when(set(null))
      .yields([fallbackSet(null)]));

  it('set to what it is changes nothing', () => {
    given([gpt, fallbackSet(1)])
      .when(set(1))
      .yields([]);
    given([]).when(set(null)).yields([]);
  });
});

describe('the deployment', () => {
  const asked = [
    ['RebuildSnapshot', 'SnapshotRebuilt'],
    ['RevokeSessions', 'SessionsRevoked'],
  ] as const;
  for (const [command, event] of asked) {
    it(`${command} leaves an event as often as it is asked for, and the settings as they are`, () => {
      const happened = { stream: 'settings-1', type: event, data: {} } as const;
      const log = given([gpt, fallbackSet(1), happened]);
      log.when({ type: command }).yields([happened]);
      assert.equal(log.state.settings.byId.get(1)?.fallbackModelId, 1);
    });
  }
});

describe('the managed deployment', () => {
  it('that was changed leaves an event with what was sent, and the generation it made', () =>
    given([])
      .when({
        type: 'RecordDeploymentPatch',
        patch: { image: undefined, replicas: 3, workers: null, autoscaling_enabled: true },
        generation: 7,
      })
      .yields([
        {
          stream: 'settings-1',
          type: 'DeploymentPatched',
          data: {
            patch: { replicas: 3, workers: null, autoscaling_enabled: true },
            generation: 7,
          },
        },
      ]));
});

const erase = (...items: { ref: string; subject: string }[]) =>
  ({ type: 'EraseVaultItems', items }) as const;
const erased = (...refs: string[]) =>
  ({ stream: 'settings-1', type: 'VaultItemsErased', data: { refs } }) as const;

describe('erasing from the vault', () => {
  const held = testRef(1);
  const provider = providerCreated(1, 'p', {
    endpoint: endpointAt('https://p.example'),
    credential: credentialOf('secret', 1),
  });

  it('takes what nothing refers to, of entities that stand and that are gone', () =>
    given([provider])
      .when(
        erase({ ref: testRef(2), subject: 'provider-1' }, { ref: testRef(3), subject: 'agent-9' }),
      )
      .yields([erased(testRef(2), testRef(3))]));

  it('leaves what its entity refers to', () => {
    given([provider])
      .when(erase({ ref: held, subject: 'provider-1' }))
      .yields([]);
    given([provider])
      .when(erase({ ref: held, subject: 'provider-1' }, { ref: testRef(2), subject: 'role-1' }))
      .yields([erased(testRef(2))]);
  });
});
