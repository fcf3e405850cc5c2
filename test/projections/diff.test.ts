// Tests the comparison of two states by kind, id and field, without secrets.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { packState, unpackState } from '../../projections/config/packed.ts';
import { emptyState, fold } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { diffStates } from '../../projections/diff.ts';
import { commandSequence, logOf } from '../harness/events/commands.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import { principalId } from '../../src/lib/ids.ts';
import {
  credentialOf,
  endpointAt,
  modelCreated,
  principalCreated,
  providerCreated,
  vaultedName,
} from '../harness/events/examples.ts';
import {
  frontendModelCreated,
  ruleAdded,
  storedRule,
  target,
} from '../harness/events/routing-examples.ts';
import { allEvents, given, testRef } from '../harness/events/test-log.ts';
import { runs } from '../harness/property-runs.ts';

const twoStates = fc
  .tuple(commandSequence(60), fc.nat({ max: 100 }), fc.nat({ max: 100 }))
  .map(([commands, one, other]) => {
    const events = allEvents(logOf(commands));
    const [before, after] = [Math.min(one, other), Math.max(one, other)].map((cut) =>
      fold(emptyState, events.slice(0, cut)),
    );
    return { before: before ?? emptyState, after: after ?? emptyState };
  });

const entitiesOf = (state: ConfigState): unknown => {
  const {
    position: _position,
    hash: _hash,
    version: _version,
    ...slices
  } = JSON.parse(packState(state));
  return Object.entries(slices).map(([noun, slice]) => [noun, Object(slice).entities]);
};

const byField = (one: { field: string }, other: { field: string }): number =>
  one.field < other.field ? -1 : 1;

/** The fields of the only entity that differs. */
const fields = (before: readonly GwEvent[], events: readonly GwEvent[]): unknown => {
  const [difference] = diffStates(given(before).state, given([...before, ...events]).state);
  return difference?.fields;
};

describe('of any two states', () => {
  it('the difference is empty exactly when they hold the same', () => {
    fc.assert(
      fc.property(twoStates, ({ before, after }) => {
        assert.deepEqual(diffStates(before, before), []);
        const isEmpty = diffStates(before, after).length === 0;
        const isSame = JSON.stringify(entitiesOf(before)) === JSON.stringify(entitiesOf(after));
        // A counter of parts may have increased although the parts are the same.
        if (!isEmpty) assert.equal(isSame, false);
        if (isSame) assert.equal(isEmpty, true);
      }),
      runs(60),
    );
  });

  it('the way back is the same fields the other way round', () => {
    const turned = { created: 'deleted', changed: 'changed', deleted: 'created' } as const;
    fc.assert(
      fc.property(twoStates, ({ before, after }) => {
        const there = diffStates(before, after);
        const back = diffStates(after, before);
        assert.deepEqual(
          back.map(({ kind, id, change, fields }) => ({
            kind,
            id,
            change,
            fields: fields.toSorted(byField),
          })),
          there.map(({ kind, id, change, fields }) => ({
            kind,
            id,
            change: turned[change],
            fields: fields
              .map(({ field, before, after }) => ({ field, before: after, after: before }))
              .toSorted(byField),
          })),
        );
      }),
      runs(60),
    );
  });

  it('it is the same whether they share what did not change or were read from checkpoints', () => {
    fc.assert(
      fc.property(twoStates, ({ before, after }) => {
        const apart = [before, after].map((state) => unpackState(packState(state)));
        assert.deepEqual(
          diffStates(apart[0] ?? before, apart[1] ?? after),
          diffStates(before, after),
        );
      }),
      runs(60),
    );
  });
});

describe('a difference', () => {
  it('names parts by their ids, and fields as the admin API does', () => {
    const held = [modelCreated(1, 'm'), frontendModelCreated(1, 'chat')];
    const rule = storedRule(4, { conditions: { min_prompt_tokens: 7 }, tag: 'long' });
    assert.deepEqual(fields(held, [ruleAdded(1, rule, [target(9, 0, { model: 1 })])]), [
      { field: 'rules.4.position', before: null, after: { value: 0 } },
      { field: 'rules.4.action', before: null, after: { value: 'route' } },
      { field: 'rules.4.min_prompt_tokens', before: null, after: { value: 7 } },
      { field: 'rules.4.utc_offset_minutes', before: null, after: { value: 0 } },
      { field: 'rules.4.tag', before: null, after: { value: 'long' } },
      { field: 'rules.4.targets.9.model_id', before: null, after: { value: 1 } },
      { field: 'rules.4.targets.9.position', before: null, after: { value: 0 } },
    ]);
  });

  it('tells the name of a person by its ref, and a password or credential as a secret', () => {
    const named = [principalCreated(1, vaultedName('a', 9))];
    const id = principalId.parse(1);
    const data = { id, password_ref: testRef(8) };
    const passwordSet = { stream: 'principal-1', type: 'PrincipalPasswordSet', data } as const;
    assert.deepEqual(fields(named, [passwordSet]), [
      { field: 'password', before: null, after: { secret: testRef(8) } },
    ]);
    const [created] = diffStates(emptyState, given(named).state);
    assert.deepEqual(created?.name, { personal: testRef(9) });
    const endpoint = endpointAt('https://a.example/v1');
    const credential = credentialOf('fp');
    const [provider] = diffStates(
      emptyState,
      given([providerCreated(1, 'p', { endpoint, credential })]).state,
    );
    const credentials = provider?.fields.filter(({ field }) => field.startsWith('credential'));
    assert.deepEqual(credentials, [
      { field: 'credential', before: null, after: { secret: 'fp' } },
      { field: 'credential.kind', before: null, after: { value: 'static' } },
    ]);
  });
});
