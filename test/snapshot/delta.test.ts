// Tests deltas between snapshots: a proxy that follows by deltas has at every version what a whole
// fetch gives, and refuses every delta that is damaged or belongs to another snapshot.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import type { Command } from '../../src/deciders/decide.ts';
import { canonicalJson } from '../../src/lib/canonical-json.ts';
import { apiKeyId, modelId, principalId } from '../../src/lib/ids.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { composeDeltas } from '../../src/snapshot/delta/compose.ts';
import type { SnapshotDelta } from '../../src/snapshot/delta/delta.ts';
import { firstEdition } from '../../src/snapshot/delta/edition.ts';
import { wholeOf } from '../../src/snapshot/paged.ts';
import { changingPrelude } from '../harness/events/changing-configuration.ts';
import { deltaBetween } from '../harness/gateway/editions.ts';
import {
  applyTo,
  arounds,
  compiledOf,
  createKey,
  damage,
  editionsOf,
  followerAt,
  histories,
  ids,
  lookupsOf,
  received,
  withOwnVerifiers,
} from '../harness/gateway/published-editions.ts';
import { runs } from '../harness/property-runs.ts';

const options = runs(60);

describe('a proxy that follows by deltas', () => {
  it('has the snapshot, root and lookups of a whole fetch at every version', () => {
    fc.assert(
      fc.property(histories, arounds, (commands, around) => {
        const [first, ...rest] = editionsOf(commands, around);
        if (first === undefined) return;
        const follower = followerAt(first);
        let base = first;
        for (const next of rest) {
          const applied = applyTo(follower, received(deltaBetween(base, next)));
          assert.ok(!isRefusal(applied), isRefusal(applied) ? applied.message : '');
          assert.equal(follower.root(), next.root);
          assert.equal(firstEdition(next).root, next.root);
          assert.equal(canonicalJson(follower.snapshot()), canonicalJson(wholeOf(next)));
          assert.equal(lookupsOf(applied), lookupsOf(compiledOf(wholeOf(next))));
          base = next;
        }
      }),
      options,
    );
  });

  it('may skip editions, by merged deltas', () => {
    fc.assert(
      fc.property(histories, arounds, fc.nat(4), (commands, around, skipped) => {
        const [first, ...rest] = editionsOf(commands, around);
        if (first === undefined) return;
        const follower = followerAt(first);
        let before = first;
        let merged: SnapshotDelta | null = null;
        for (const [index, next] of rest.entries()) {
          const delta: SnapshotDelta = deltaBetween(before, next);
          merged = merged === null ? delta : composeDeltas(merged, delta);
          before = next;
          if (index % (skipped + 1) !== skipped) continue;
          const applied = applyTo(follower, received(merged));
          assert.ok(!isRefusal(applied), isRefusal(applied) ? applied.message : '');
          assert.equal(canonicalJson(follower.snapshot()), canonicalJson(wholeOf(next)));
          assert.equal(lookupsOf(applied), lookupsOf(compiledOf(wholeOf(next))));
          merged = null;
        }
      }),
      options,
    );
  });

  it('has them for lists of several pages, and when a page becomes empty', () => {
    const create = ids(1, 520).map((id) => createKey(principalId.parse(1 + (id % 5)), id));
    const models = ids(1, 260).map((id): Command => ({
      type: 'CreateModel',
      name: `model ${id}`,
      fields: {},
    }));
    const revoke = [1, 300, 520].map((id): Command => ({
      type: 'RevokeApiKey',
      id: apiKeyId.parse(id),
    }));
    const remove = ids(256, 264).map((id): Command => ({
      type: 'DeleteModel',
      id: modelId.parse(id),
    }));
    const before = changingPrelude.concat(create, models);
    const editions = editionsOf(withOwnVerifiers(before.concat(revoke, remove)), [
      { spent: 1, token: 'a', unreadable: 5, centroid: 0 },
    ]).slice(before.length - 1);
    const [first, ...rest] = editions;
    assert.ok(first);
    assert.deepEqual([...first.lists.api_keys.keys()], [0, 1, 2]);
    assert.deepEqual([...(rest.at(-1)?.lists.models.keys() ?? [])], [0]);
    const follower = followerAt(first);
    let base = first;
    for (const next of rest) {
      const applied = applyTo(follower, received(deltaBetween(base, next)));
      assert.ok(!isRefusal(applied), isRefusal(applied) ? applied.message : '');
      assert.equal(canonicalJson(follower.snapshot()), canonicalJson(wholeOf(next)));
      base = next;
    }
    assert.equal(lookupsOf(compiledOf(follower.snapshot())), lookupsOf(compiledOf(wholeOf(base))));
    const [revoked] = rest;
    assert.ok(revoked);
    assert.equal(revoked.lists.api_keys.get(1), first.lists.api_keys.get(1));
    assert.notEqual(revoked.lists.api_keys.get(0), first.lists.api_keys.get(0));
    assert.equal(revoked.lists.api_keys.get(0)?.[0], first.lists.api_keys.get(0)?.[1]);
  });

  it('refuses a delta for another base, and changes nothing', () => {
    fc.assert(
      fc.property(histories, arounds, (commands, around) => {
        const editions = editionsOf(commands, around);
        const [first, second] = editions;
        const last = editions.at(-1);
        if (first === undefined || second === undefined || last === undefined) return;
        if (first.root === second.root) return;
        const follower = followerAt(first);
        assert.ok(isRefusal(applyTo(follower, received(deltaBetween(second, last)))));
        const forged = { ...deltaBetween(second, last), base: first.root };
        const applied = applyTo(follower, received(forged));
        // A delta that sets everything that differs gives the right result from any base.
        if (!isRefusal(applied)) assert.equal(follower.root(), last.root);
        else assert.equal(canonicalJson(follower.snapshot()), canonicalJson(wholeOf(first)));
      }),
      options,
    );
  });

  it('refuses a delta with any part damaged, and changes nothing', () => {
    fc.assert(
      fc.property(histories, arounds, fc.nat(), fc.nat(), (commands, around, where, how) => {
        const editions = editionsOf(commands, around);
        const [first] = editions;
        const last = editions.at(-1);
        if (first === undefined || last === undefined || first === last) return;
        const follower = followerAt(first);
        const whole = JSON.stringify(deltaBetween(first, last));
        const damaged = damage(whole, where, how);
        if (damaged === null || canonicalJson(damaged) === canonicalJson(JSON.parse(whole))) return;
        const applied = applyTo(follower, damaged);
        if (!isRefusal(applied))
          assert.equal(canonicalJson(follower.snapshot()), canonicalJson(wholeOf(last)));
        else assert.equal(canonicalJson(follower.snapshot()), canonicalJson(wholeOf(first)));
      }),
      runs(150),
    );
  });
});
