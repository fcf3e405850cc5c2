// Tests commands on provider models, and the grants that follow a rename.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { noFlowControl } from '../../projections/config/model.ts';
import type { ModelFields } from '../../src/deciders/model.ts';
import { modelId } from '../../src/lib/ids.ts';
import {
  fallbackSet,
  modelCreated,
  modelDeleted,
  permissionGranted,
  permissionRevoked,
  roleCreated,
} from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';

const one = modelId.parse(1);
const stream = 'model-1';
const gpt = modelCreated(1, 'gpt');

const create = (name: string, fields: ModelFields = {}) =>
  ({ type: 'CreateModel', name, fields }) as const;
const update = (fields: ModelFields) => ({ type: 'UpdateModel', id: one, fields }) as const;

const priced = (input: number | null, output: number | null): GwEvent => ({
  stream,
  type: 'ModelPriced',
  data: { id: one, input_price_per_mtok: input, output_price_per_mtok: output },
});

describe('a model', () => {
  it('is created with the next id, unpriced and without a provider', () =>
    given([gpt])
      .when(create('other'))
      .yields([modelCreated(2, 'other')]));

  it('is created with all its fields, an event a fact', () =>
    given([])
      .when(
        create('gpt', {
          description: 'large',
          inputPricePerMtok: 3_000_000,
          outputPricePerMtok: 0,
          cacheTtlSeconds: 60,
          contextLength: 8192,
        }),
      )
      .yields([
        { stream, type: 'ModelCreated', data: { id: one, name: 'gpt', description: 'large' } },
        priced(3_000_000, 0),
        { stream, type: 'ModelCacheTtlSet', data: { id: one, cache_ttl_seconds: 60 } },
        { stream, type: 'ModelContextLengthSet', data: { id: one, context_length: 8192 } },
      ]));

  it('does not take a name that is held', () =>
    given([gpt])
      .when(create('gpt'))
      .refuses('conflict', /model gpt exists/, 'name'));

  it('never gets the id of one that was deleted', () =>
    given([gpt, modelDeleted(1)])
      .when(create('gpt'))
      .yields([modelCreated(2, 'gpt')]));
});

describe('an update of a model', () => {
  it('sets one price and leaves the other', () =>
    given([gpt, priced(1, 2)])
      .when(update({ outputPricePerMtok: 3 }))
      .yields([priced(1, 3)]));

  it('clears a field with null and leaves what it does not name', () =>
    given([gpt, priced(1, 2)])
      .when(update({ inputPricePerMtok: null }))
      .yields([priced(null, 2)]));

  it('sets and clears description, cache and context length', () => {
    const set: GwEvent[] = [
      { stream, type: 'ModelDescribed', data: { id: one, description: 'large' } },
      { stream, type: 'ModelCacheTtlSet', data: { id: one, cache_ttl_seconds: 5 } },
      { stream, type: 'ModelContextLengthSet', data: { id: one, context_length: 7 } },
    ];
    given([gpt])
      .when(update({ description: 'large', cacheTtlSeconds: 5, contextLength: 7 }))
      .yields(set);
    given([gpt, ...set])
      .when(update({ description: null, cacheTtlSeconds: null, contextLength: null }))
      .yields([
        { stream, type: 'ModelDescribed', data: { id: one, description: null } },
        { stream, type: 'ModelCacheTtlSet', data: { id: one, cache_ttl_seconds: null } },
        { stream, type: 'ModelContextLengthSet', data: { id: one, context_length: null } },
      ]);
  });

  it('to what it is, or that names nothing, changes nothing', () => {
    given([gpt, priced(1, 2)])
      .when(update({ name: 'gpt', description: null, inputPricePerMtok: 1, outputPricePerMtok: 2 }))
      .yields([]);
    given([gpt]).when(update({})).yields([]);
  });

  it('does not take a name that another holds', () =>
    given([gpt, modelCreated(2, 'other')])
      .when(update({ name: 'other', description: 'x' }))
      .refuses('conflict', /model other exists/, 'name'));

  it('of one that does not exist is refused', () =>
    given([])
      .when(update({}))
      .refuses('absent', /model 1 does not exist/));
});

describe('a rename of a model', () => {
  const renamed: GwEvent = { stream, type: 'ModelRenamed', data: { id: one, name: 'new' } };

  it('carries the grants on the old name along, in every role', () =>
    given([
      gpt,
      roleCreated(1, 'a'),
      roleCreated(2, 'b'),
      permissionGranted(1, 'model:invoke', 'model/gpt'),
      permissionGranted(2, 'model:invoke', 'model/gpt'),
    ])
      .when(update({ name: 'new', description: 'x' }))
      .yields([
        renamed,
        permissionRevoked(1, 'model:invoke', 'model/gpt'),
        permissionGranted(1, 'model:invoke', 'model/new'),
        permissionRevoked(2, 'model:invoke', 'model/gpt'),
        permissionGranted(2, 'model:invoke', 'model/new'),
        { stream, type: 'ModelDescribed', data: { id: one, description: 'x' } },
      ]));

  it('does not grant twice what a role already holds', () =>
    given([
      gpt,
      roleCreated(1, 'a'),
      permissionGranted(1, 'model:invoke', 'model/gpt'),
      permissionGranted(1, 'model:invoke', 'model/new'),
    ])
      .when(update({ name: 'new' }))
      .yields([renamed, permissionRevoked(1, 'model:invoke', 'model/gpt')]));

  it('leaves grants on every model, on other models and of other verbs alone', () =>
    given([
      gpt,
      roleCreated(1, 'a'),
      permissionGranted(1, 'model:invoke', 'model/*'),
      permissionGranted(1, 'model:invoke', 'model/gpt-2'),
      permissionGranted(1, 'mcp:invoke', 'mcp/gpt'),
    ])
      .when(update({ name: 'new' }))
      .yields([renamed]));
});

describe('the deletion of a model', () => {
  const deletion = { type: 'DeleteModel', id: one } as const;

  it('deletes it', () =>
    given([gpt])
      .when(deletion)
      .yields([modelDeleted(1)]));

  it('clears the fallback when it was that', () =>
    given([gpt, fallbackSet(1)])
      .when(deletion)
      .yields([fallbackSet(null), modelDeleted(1)]));

  it('leaves the fallback alone when that is another', () =>
    given([gpt, modelCreated(2, 'other'), fallbackSet(2)])
      .when(deletion)
      .yields([modelDeleted(1)]));

  it('leaves the grants on its name, which outlive it', () =>
    given([gpt, roleCreated(1, 'a'), permissionGranted(1, 'model:invoke', 'model/gpt')])
      .when(deletion)
      .yields([modelDeleted(1)]));

  it('of one that does not exist is refused', () =>
    given([])
      .when(deletion)
      .refuses('absent', /model 1 does not exist/));
});

const setFlow = (flowControl: object) =>
  ({ type: 'SetFlowControl', id: one, flowControl }) as const;

const flowSet = (flowControl: object): GwEvent => ({
  stream,
  type: 'ModelFlowControlSet',
  data: { id: one, flow_control: { ...noFlowControl, ...flowControl } },
});

describe('flow control', () => {
  it('is set field by field: what is not named stays, null clears', () => {
    const on = flowSet({ admission_max_concurrent: 8, admission_high_water: 2 });
    given([gpt])
      .when(setFlow({ admission_max_concurrent: 8, admission_high_water: 2 }))
      .yields([on]);
    given([gpt, on])
      .when(setFlow({ admission_max_concurrent: null, upstream_timeout_seconds: 9 }))
      .yields([flowSet({ admission_high_water: 2, upstream_timeout_seconds: 9 })]);
  });

  it('set to what it is changes nothing', () => {
    given([gpt]).when(setFlow({})).yields([]);
    given([gpt])
      .when(setFlow({ admission_max_queued: null }))
      .yields([]);
  });

  it('of a model that does not exist is refused', () =>
    given([])
      .when(setFlow({}))
      .refuses('absent', /model 1 does not exist/));
});
