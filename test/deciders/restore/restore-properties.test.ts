// Tests properties of every restore, for random histories and positions. GW_TEST_RUNS sets the
// number of restores.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { emptyState, fold } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { vaultRefs } from '../../../projections/config/vault-refs.ts';
import { diffStates } from '../../../projections/diff.ts';
import { snapshotConfig } from '../../../projections/snapshot.ts';
import { createUnfolding } from '../../../src/deciders/reconcile/unfolding.ts';
import { differingStreams, planRestore } from '../../../src/deciders/restore.ts';
import { conflictsIn } from '../../../src/deciders/restore/conflicts.ts';
import { configHash } from '../../../src/snapshot/hash.ts';
import { commandSequence, logOf } from '../../harness/events/commands.ts';
import { allEvents, testRef } from '../../harness/events/test-log.ts';
import { restored, restoreTo, unexplained } from '../../harness/events/restores.ts';
import { runs } from '../../harness/property-runs.ts';

const history = fc
  .tuple(commandSequence(80), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([commands, part]) => {
    const log = logOf(commands);
    const at = log.commands[Math.floor(part * (log.commands.length - 1))]?.at(-1)?.position ?? 0;
    const target = fold(emptyState, allEvents(log).slice(0, at));
    return { log, target };
  });

/** Up to three of the entities that differ. */
const someOf = fc
  .tuple(history, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }))
  .map(([{ log, target }, picks]) => {
    const streams = differingStreams(log.state, target);
    const named = [...new Set(picks.flatMap((pick) => streams[pick % streams.length] ?? []))];
    return { log, target, named };
  })
  .filter(({ named }) => named.length > 0);

/** A vault erases only items that the configuration no longer references. */
const erasures = fc
  .uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 0, maxLength: 999 })
  .map((numbers) => numbers.map(testRef));

const heldRefs = (state: ConfigState): ReadonlySet<string> =>
  new Set([
    ...differingStreams(emptyState, state).flatMap((stream) => vaultRefs(state, stream)),
    ...[...state.principal.byId.values()].flatMap(({ name }) => name.ref ?? []),
  ]);

const withoutErased = (state: ConfigState, refs: readonly string[]): ReadonlySet<string> => {
  const held = heldRefs(state);
  return new Set(refs.filter((ref) => !held.has(ref)));
};

const hashOf = (state: ConfigState): string => configHash(snapshotConfig(state));

describe('of every restore', () => {
  it('what it leaves different from the moment restored is what it says does not come back', () => {
    fc.assert(
      fc.property(history, erasures, ({ log, target }, refs) => {
        const command = restoreTo(log, target, withoutErased(log.state, refs));
        const plan = planRestore(log.state, command);
        assert.deepEqual(plan.conflicts, []);
        const { state } = restored(log, command);
        assert.deepEqual(unexplained(diffStates(target, state), plan.missing), []);
        assert.deepEqual(diffStates(plan.state, state), []);
        if (plan.missing.length === 0) assert.equal(hashOf(state), hashOf(target));
      }),
      runs(60),
    );
  });

  it('a restore back to before it undoes it, but for what is only seen of providers', () => {
    fc.assert(
      fc.property(history, erasures, ({ log, target }, refs) => {
        const erased = withoutErased(log.state, refs);
        const there = restored(log, restoreTo(log, target, erased));
        const back = restoreTo(there, log.state, erased);
        const { missing } = planRestore(there.state, back);
        assert.deepEqual(
          missing.filter(({ reason }) => reason !== 'observed' && reason !== 'kept'),
          [],
        );
        const { state } = restored(there, back);
        assert.deepEqual(unexplained(diffStates(log.state, state), missing), []);
      }),
      runs(60),
    );
  });

  it('no event refers to what does not stand, and no revoked key and no replaced password is valid again', () => {
    fc.assert(
      fc.property(history, ({ log, target }) => {
        const command = restoreTo(log, target);
        const { events } = planRestore(log.state, command);
        const on = createUnfolding(log.state);
        for (const event of events) {
          on.take([event]);
          const state = on.state();
          const broken = conflictsIn(state, [event.stream]).filter(({ message }) =>
            message.endsWith('does not exist'),
          );
          assert.deepEqual(broken, [], event.type);
        }
        for (const key of on.state().api_key.byId.values()) {
          assert.ok(key.disabled || !command.facts.revokedKeys.has(key.id));
        }
        for (const { id, passwordRef } of on.state().principal.byId.values()) {
          const last = command.facts.passwordsSet.get(id) ?? passwordRef;
          assert.ok(passwordRef === null || passwordRef === last);
        }
      }),
      runs(60),
    );
  });

  it('of single entities alone it touches no others, or names what stands in the way', () => {
    fc.assert(
      fc.property(someOf, ({ log, target, named: only }) => {
        const plan = planRestore(log.state, { ...restoreTo(log, target), only });
        if (plan.conflicts.length > 0) return;
        assert.deepEqual(
          conflictsIn(
            plan.state,
            only.filter((one) => isThere(plan.state, one)),
          ),
          [],
        );
        const changed = diffStates(log.state, plan.state).map(({ kind, id }) => `${kind}-${id}`);
        for (const one of changed) assert.ok(only.includes(one) || followers.test(one), one);
      }),
      runs(60),
    );
  });

  it('of all but some it leaves those as they are, or names what stands in the way', () => {
    fc.assert(
      fc.property(someOf, ({ log, target, named: except }) => {
        const plan = planRestore(log.state, { ...restoreTo(log, target), except });
        if (plan.conflicts.length > 0) return;
        const kept = plan.events.filter(({ stream }) => except.includes(stream));
        assert.deepEqual(
          kept.filter(({ type }) => !foundAgain.test(type)),
          [],
        );
      }),
      runs(60),
    );
  });
});

/** References that kept the name of a model point to it again after its restore. */
const foundAgain = /^(?:FrontendModelTarget|PoolMember)Found$/;

/** Deleting an entity deletes its dependents, and references to a deleted model keep its name. */
const followers = /^(?:frontend_model|pool|api_key|admin_token|prompt_class|settings)-/;

const isThere = (state: ConfigState, stream: string): boolean =>
  differingStreams(emptyState, state).includes(stream);
