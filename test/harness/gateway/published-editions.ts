// Generates histories of published snapshots for tests, and follows them.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { inspect } from 'node:util';

import * as fc from 'fast-check';

import { emptyState, fold } from '../../../projections/config/state.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import {
  createPagedConfigMaker,
  degradedProviders,
  snapshotConfig,
} from '../../../projections/snapshot.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { canonicalJson } from '../../../src/lib/canonical-json.ts';
import { apiKeyId, modelId, principalId } from '../../../src/lib/ids.ts';
import type { PrincipalId } from '../../../src/lib/ids.ts';
import { inOneGo } from '../../../src/lib/steps.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import type { CompiledSnapshot } from '../../../src/snapshot/compile.ts';
import { followerSteps, readDelta } from '../../../src/snapshot/delta/follower.ts';
import type { Follower } from '../../../src/snapshot/delta/follower.ts';
import { firstEdition, followedBy } from '../../../src/snapshot/delta/edition.ts';
import type { Edition } from '../../../src/snapshot/delta/edition.ts';
import { configHash } from '../../../src/snapshot/hash.ts';
import { configOf, credentialRef, keyRef, wholeOf } from '../../../src/snapshot/paged.ts';
import type { PagedConfig, PagedSnapshot, Pages } from '../../../src/snapshot/paged.ts';
import { snapshot as snapshotSchema } from '../../../src/snapshot/schema.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import { defaultTuning } from '../../../src/snapshot/tuning.ts';
import { change, changingPrelude } from '../events/changing-configuration.ts';
import { commandSequence, logOf } from '../events/commands.ts';
import { testRef } from '../events/test-log.ts';

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
const textOf =
  (unreadable: number) =>
  (ref: string | null): string | null =>
    ref === null || Number.parseInt(hash('sha256', ref).slice(0, 2), 16) % 5 === unreadable
      ? null
      : hash('sha256', `secret ${ref}`);

const mapped = <Member, Value>(pages: Pages<Member>, map: (member: Member) => Value) =>
  new Map([...pages].map(([number, page]) => [number, page.map(map)]));

function published(state: ConfigState, paged: PagedConfig, around: Surroundings): PagedSnapshot {
  const readable = textOf(around.unreadable);
  const config = configOf(paged);
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
  return {
    schema: 1,
    version: state.version,
    config_hash: configHash(config),
    log: { id: 'log', position: state.position, hash: state.hash },
    ...paged,
    texts: {
      api_keys: mapped(paged.lists.api_keys, (key) => readable(keyRef(key))),
      providers: mapped(paged.lists.providers, (one) => readable(credentialRef(one))),
    },
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
}

/** The editions that a control plane publishes after each command. */
export function editionsOf(
  commands: readonly Command[],
  around: readonly Surroundings[],
): readonly Edition[] {
  const pagedConfigOf = createPagedConfigMaker();
  const editions: Edition[] = [];
  let state = emptyState;
  for (const [index, events] of logOf(commands).commands.entries()) {
    state = fold(state, events);
    const here = around[index % around.length];
    assert.ok(here);
    const paged = pagedConfigOf(state);
    assert.equal(canonicalJson(configOf(paged)), canonicalJson(snapshotConfig(state)));
    const next = published(state, paged, here);
    const last = editions.at(-1);
    editions.push(last === undefined ? firstEdition(next) : followedBy(last, next).edition);
  }
  return editions;
}

export const received = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

export const compiledOf = (snapshot: Snapshot): CompiledSnapshot => {
  const compiled = compileSnapshot(snapshotSchema.parse(received(snapshot)), defaultTuning);
  assert.ok(!isRefusal(compiled));
  return compiled;
};

/**
 * A text, because conditions are compiled to functions. Omits the reasons for the log, and sorts
 * the callers.
 */
export function lookupsOf({ dropped: _dropped, ...compiled }: CompiledSnapshot): string {
  const { keys, principals, get } = compiled.callers;
  const callers = new Map([...keys.keys()].map((verifier) => [verifier, get(verifier)]));
  const lookups = { ...compiled, callers, principals };
  return inspect(lookups, {
    depth: null,
    maxArrayLength: null,
    maxStringLength: null,
    sorted: true,
  });
}

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

export const createKey = (owner: PrincipalId, number: number): Command => ({
  type: 'CreateApiKey',
  name: `key ${number}`,
  principalId: owner,
  prefix: 'gw-',
  verifierRef: '',
  expiresAt: null,
});

export const ids = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const createKeys: readonly Command[] = [1, 2, 3, 4, 5].map((id) =>
  createKey(principalId.parse(id), id),
);

/** No two keys have the same verifier. */
export const withOwnVerifiers = (commands: readonly Command[]): readonly Command[] =>
  commands.map((command, index) =>
    command.type === 'CreateApiKey' ? { ...command, verifierRef: testRef(1000 + index) } : command,
  );

const changesAfter = (maxLength: number) =>
  fc
    .array(fc.oneof(change, keyChange, modelChange), { minLength: 1, maxLength })
    .map((changes) => changingPrelude.concat(createKeys, changes));

/** Without the snapshots before the first random change. */
export const shortHistories = changesAfter(10).map(withOwnVerifiers);
/** The number of commands before them. */
export const preludeLength = changingPrelude.length + createKeys.length;

export const histories = fc.oneof(changesAfter(25), commandSequence(60)).map(withOwnVerifiers);
export const arounds = fc.array(surroundings, { minLength: 1, maxLength: 5 });

export function followerAt(edition: Edition): Follower {
  const snapshot = wholeOf(edition);
  const whole = { received: received(snapshot), snapshot, compiled: compiledOf(snapshot) };
  const follower = inOneGo(followerSteps(whole));
  assert.equal(follower.root(), edition.root);
  return follower;
}

export function applyTo(follower: Follower, json: unknown): CompiledSnapshot | Refusal {
  const read = readDelta(json);
  return isRefusal(read) ? read : follower.apply(read);
}

/** One bit of a byte flipped. Null if the text is no longer JSON. */
export function damage(text: string, where: number, how: number): unknown {
  const bytes = Buffer.from(text);
  const at = where % bytes.length;
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (how % 7));
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
