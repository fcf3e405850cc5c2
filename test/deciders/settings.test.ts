// Tests commands on the deployment's settings.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { modelId, principalId } from '../../src/lib/ids.ts';
import {
  credentialOf,
  endpointAt,
  fallbackSet,
  modelCreated,
  modelDeleted,
  principalCreated,
  providerCreated,
  vaultedName,
} from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

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
      .refuses('invalid', /model_id 1 does not exist/, 'model_id');
    given([gpt, modelDeleted(1)])
      .when(set(1))
      .refuses('invalid', /model_id 1 does not exist/, 'model_id');
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

describe('a reconciled bill', () => {
  it('leaves an event with its totals, without its differences', () => {
    const data = {
      providers: ['openai'],
      format: 'openai',
      file_sha256: 'ab'.repeat(32),
      first_day: '2026-11-01',
      last_day: '2026-11-30',
      matches: 7,
    };
    const totals = [{ currency: 'USD', bill_micros: 5, ledger_micros: 3 }];
    given([])
      .when({
        type: 'RecordBillReconciliation',
        report: testRef(1),
        facts: { ...data, totals, difference_count: 2 },
      })
      .yields([
        {
          stream: 'settings-1',
          type: 'UsageReconciled',
          data: { report: testRef(1), ...data, totals, differences: 2 },
        },
      ]);
  });
});

describe('an archived segment', () => {
  it('leaves an event with the digest of its manifest', () => {
    const archived = {
      dataset: 'usage',
      hour: '2026-11-01T10:00:00.000Z',
      segment: 2,
      rows: 7,
      manifest_sha256: 'ab'.repeat(32),
      adopted: false,
    } as const;
    given([])
      .when({ type: 'RecordArchivedUsage', archived })
      .yields([{ stream: 'settings-1', type: 'UsageArchived', data: archived }]);
  });
});

const erase = (...items: { ref: string; subject: string }[]) =>
  ({
    type: 'EraseVaultItems',
    items: items.map(({ ref, subject }) => ({ ref, subject, kind: 'credential' }) as const),
    principalId: null,
  }) as const;
const erased = (...refs: string[]) =>
  ({
    stream: 'settings-1',
    type: 'VaultItemsErased',
    data: { refs, kinds: { credential: refs.length } },
  }) as const;

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

  it('of a person clears the address and leaves the name that one who stands goes by', () => {
    const stream = 'principal-1';
    const id = principalId.parse(1);
    const mailed: GwEvent = {
      stream,
      type: 'PrincipalEmailSet',
      data: { id, email_ref: testRef(7) },
    };
    const asked = {
      type: 'EraseVaultItems',
      principalId: id,
      items: [
        { ref: testRef(1), subject: stream, kind: 'name' },
        { ref: testRef(7), subject: stream, kind: 'email' },
        { ref: testRef(8), subject: 'model-3', kind: 'reason' },
      ],
    } as const;
    const data = { refs: [testRef(7), testRef(8)], kinds: { email: 1, reason: 1 } };
    const person = principalCreated(1, vaultedName('ada', 1));
    given([person, mailed])
      .when(asked)
      .yields([
        { stream, type: 'PrincipalEmailSet', data: { id, email_ref: null } },
        { stream: 'settings-1', type: 'VaultItemsErased', data: { ...data, principal_id: id } },
      ]);
    given([])
      .when(asked)
      .refuses('absent', /principal 1 does not exist/);
  });

  it('names at most 500 items in an event', () => {
    const items = Array.from({ length: 501 }, (_, at) => ({
      ref: testRef(at + 10),
      subject: 'provider-1',
    }));
    const refs = items.map(({ ref }) => ref);
    given([])
      .when(erase(...items))
      .yields([erased(...refs.slice(0, 500)), erased(...refs.slice(500))]);
  });
});
