// Tests deltas between snapshots: a proxy that follows by deltas has at every version what a whole
// fetch gives, and refuses every delta that is damaged or belongs to another snapshot.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';

import * as fc from 'fast-check';

import { emptyState, fold } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { createConfigMaker, degradedProviders, secretRefs } from '../../projections/snapshot.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { canonicalJson } from '../../src/lib/canonical-json.ts';
import { apiKeyId, modelId, principalId } from '../../src/lib/ids.ts';
import { inOneGo } from '../../src/lib/steps.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';
import { compileSnapshot } from '../../src/snapshot/compile.ts';
import type { CompiledSnapshot } from '../../src/snapshot/compile.ts';
import { followerSteps, readDelta } from '../../src/snapshot/delta/follower.ts';
import type { Follower } from '../../src/snapshot/delta/follower.ts';
import { composeDeltas } from '../../src/snapshot/delta/compose.ts';
import type { SnapshotDelta } from '../../src/snapshot/delta/delta.ts';
import { deltaBetween, nextEdition } from '../../src/snapshot/delta/edition.ts';
import type { Edition } from '../../src/snapshot/delta/edition.ts';
import { configHash } from '../../src/snapshot/hash.ts';
import { snapshot as snapshotSchema } from '../../src/snapshot/schema.ts';
import type { Snapshot, SnapshotConfig } from '../../src/snapshot/schema.ts';
import { defaultTuning } from '../../src/snapshot/tuning.ts';
import { change, changingPrelude } from '../harness/events/changing-configuration.ts';
import { commandSequence, logOf } from '../harness/events/commands.ts';
import { testRef } from '../harness/events/test-log.ts';
import { runs } from '../harness/property-runs.ts';

/** The parts of a snapshot that do not come from the log. */
type Surroundings = Readonly<{
  spent: number;
  token: string;
  unreadable: number;
  centroid: number;
}>;

const surroundings: fc.Arbitrary<Surroundings> = fc.record({
  spent: fc.nat(3),
  token: fc.constantFrom('a', 'b'),
  // All secrets are readable most of the time, because a change of that compiles all lookups.
  unreadable: fc.oneof({ weight: 12, arbitrary: fc.constant(5) }, fc.nat(4)),
  centroid: fc.nat(1),
});

/** Those whose hash has the remainder `unreadable` cannot be read. */
function secretsOf(config: SnapshotConfig, unreadable: number) {
  const refs = [...new Set(secretRefs(config))];
  const isReadable = (ref: string) =>
    Number.parseInt(hash('sha256', ref).slice(0, 2), 16) % 5 !== unreadable;
  const secrets = refs
    .filter(isReadable)
    .map((ref) => [ref, hash('sha256', `secret ${ref}`)] as const);
  return {
    secrets: Object.fromEntries(secrets),
    missing: refs.filter((ref) => !isReadable(ref)),
  };
}

type Published = Readonly<{ snapshot: Snapshot; missing: readonly string[] }>;

function published(state: ConfigState, config: SnapshotConfig, around: Surroundings): Published {
  const { secrets, missing } = secretsOf(config, around.unreadable);
  const budgets = config.principals.flatMap(({ id, budget }) =>
    budget === null || around.spent === 0
      ? []
      : [
          {
            principal_id: id,
            tokens_used: around.spent * id,
            cost_used_micros: 0,
            window_start: null,
          },
        ],
  );
  const classes = config.prompt_classes.map(({ id }) => ({ id, centroid: [around.centroid] }));
  const snapshot: Snapshot = {
    schema: 1,
    version: state.version,
    config_hash: configHash(config),
    log: { id: 'log', position: state.position, hash: state.hash },
    config,
    secrets,
    classifier: { fast: { encoder: 'test', classes }, refined: null },
    overlay: {
      seq: state.position * 10 + around.spent,
      budgets,
      tokens: config.providers
        .slice(0, 1)
        .map(({ id }) => ({ provider_id: id, token: around.token })),
      dropped_providers: degradedProviders(state),
    },
  };
  return { snapshot, missing };
}

/** The editions that a control plane publishes after each command. */
function editionsOf(
  commands: readonly Command[],
  around: readonly Surroundings[],
): readonly Edition[] {
  const configOf = createConfigMaker();
  const editions: Edition[] = [];
  let state = emptyState;
  for (const [index, events] of logOf(commands).commands.entries()) {
    state = fold(state, events);
    const here = around[index % around.length];
    assert.ok(here);
    const next = published(state, configOf(state), here);
    editions.push(nextEdition(editions.at(-1) ?? null, next));
  }
  return editions;
}

const received = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const compiledOf = (snapshot: Snapshot): CompiledSnapshot => {
  const compiled = compileSnapshot(snapshotSchema.parse(received(snapshot)), defaultTuning);
  assert.ok(!isRefusal(compiled));
  return compiled;
};

/**
 * A text, because conditions are compiled to functions. Omits the reasons for the log, and sorts
 * the callers.
 */
const lookupsOf = ({ dropped: _dropped, ...lookups }: CompiledSnapshot): string =>
  inspect(lookups, { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true });

const keys = fc.integer({ min: 1, max: 8 }).map((id) => apiKeyId.parse(id));
const keyChange: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constantFrom('RevokeApiKey', 'EnableApiKey'),
    id: keys,
  }),
  fc.record({
    type: fc.constant('CreateApiKey'),
    name: fc.constant('key'),
    principalId: fc.integer({ min: 1, max: 5 }).map((id) => principalId.parse(id)),
    prefix: fc.constant('gw-'),
    verifierRef: fc.constant(''),
    expiresAt: fc.constantFrom(null, '2030-01-02T03:04:05Z'),
  }),
);

const modelChange: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant('CreateModel'),
    name: fc.constantFrom('a', 'b', 'e'),
    fields: fc.constant({}),
  }),
  fc.record({
    type: fc.constant('DeleteModel'),
    id: fc.integer({ min: 1, max: 6 }).map((id) => modelId.parse(id)),
  }),
);

const createKeys: readonly Command[] = [1, 2, 3, 4, 5].map((id) => ({
  type: 'CreateApiKey',
  name: `key ${id}`,
  principalId: principalId.parse(id),
  prefix: 'gw-',
  verifierRef: '',
  expiresAt: null,
}));

/** No two keys have the same verifier. */
const withOwnVerifiers = (commands: readonly Command[]): readonly Command[] =>
  commands.map((command, index) =>
    command.type === 'CreateApiKey' ? { ...command, verifierRef: testRef(1000 + index) } : command,
  );

const histories = fc
  .oneof(
    fc
      .array(fc.oneof(change, keyChange, modelChange), { minLength: 1, maxLength: 25 })
      .map((changes) => changingPrelude.concat(createKeys, changes)),
    commandSequence(60),
  )
  .map(withOwnVerifiers);
const arounds = fc.array(surroundings, { minLength: 1, maxLength: 5 });
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
          assert.equal(nextEdition(null, next).root, next.root);
          assert.equal(canonicalJson(follower.snapshot()), canonicalJson(next.snapshot));
          assert.equal(lookupsOf(applied), lookupsOf(compiledOf(next.snapshot)));
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
          assert.equal(canonicalJson(follower.snapshot()), canonicalJson(next.snapshot));
          assert.equal(lookupsOf(applied), lookupsOf(compiledOf(next.snapshot)));
          merged = null;
        }
      }),
      options,
    );
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
        else assert.equal(canonicalJson(follower.snapshot()), canonicalJson(first.snapshot));
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
          assert.equal(canonicalJson(follower.snapshot()), canonicalJson(last.snapshot));
        else assert.equal(canonicalJson(follower.snapshot()), canonicalJson(first.snapshot));
      }),
      runs(150),
    );
  });
});

function followerAt({ snapshot, root }: Edition): Follower {
  const whole = { received: received(snapshot), snapshot, compiled: compiledOf(snapshot) };
  const follower = inOneGo(followerSteps(whole));
  assert.equal(follower.root(), root);
  return follower;
}

function applyTo(follower: Follower, json: unknown): CompiledSnapshot | Refusal {
  const read = readDelta(json);
  return isRefusal(read) ? read : follower.apply(read);
}

/** One bit of a byte flipped. Null if the text is no longer JSON. */
function damage(text: string, where: number, how: number): unknown {
  const bytes = Buffer.from(text);
  const at = where % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (how % 7));
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
