// Tests properties of every log over random commands: the fold is incremental, the state is
// consistent, and the incremental content hash equals the hash of the configuration.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { catalogue, eventsByNoun, parseStream } from '../../events/catalogue.ts';
import { emptyState, fold } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import {
  contentHashOf,
  contentHashText,
  movedContentHash,
} from '../../projections/content-hash.ts';
import { snapshotConfig } from '../../projections/snapshot.ts';
import { configHash } from '../../src/snapshot/hash.ts';
import { canonicalJson } from '../../src/lib/canonical-json.ts';
import { commandSequence, logOf } from '../harness/events/commands.ts';
import {
  keyCreated,
  keyDeleted,
  keyRevoked,
  plainName,
  principalCreated,
} from '../harness/events/examples.ts';
import { allEvents, append, emptyLog } from '../harness/events/test-log.ts';
import type { TestLog } from '../harness/events/test-log.ts';
import { runs } from '../harness/property-runs.ts';

const nouns = Object.keys(eventsByNoun).map((noun) => parseStream(`${noun}-1`).noun);
const options = runs(100);

const hashOf = (state: ConfigState): string => configHash(snapshotConfig(state));

/** The state before each command, its events, and the state after it. */
function* steps(log: TestLog) {
  let before = emptyState;
  for (const events of log.commands) {
    const after = fold(before, events);
    yield { before, events, after };
    before = after;
  }
}

function assertUnique(what: string, values: readonly unknown[]): void {
  assert.equal(new Set(values).size, values.length, `${what} are unique: ${String(values)}`);
}

function assertSound(state: ConfigState): void {
  const [principals, roles, keys, providers, models] = [
    [...state.principal.byId.values()],
    [...state.role.byId.values()],
    [...state.api_key.byId.values()],
    [...state.provider.byId.values()],
    [...state.model.byId.values()],
  ];
  assertUnique(
    'names of principals',
    principals.map((one) => one.name.fingerprint),
  );
  assertUnique(
    'names of roles',
    roles.map((one) => one.name),
  );
  assertUnique(
    'names of providers',
    providers.map((one) => one.name),
  );
  assertUnique(
    'names of models',
    models.map((one) => one.name),
  );
  assertUnique(
    'addresses with their auth',
    providers.map((one) => canonicalJson([one.endpoint, one.credential?.fingerprint ?? null])),
  );
  for (const { roleIds } of principals) {
    assertUnique('roles of a principal', roleIds);
    for (const id of roleIds) assert.ok(state.role.byId.has(id), `role ${id} exists`);
  }
  for (const { permissions } of roles) {
    assertUnique(
      'permissions of a role',
      permissions.map((one) => canonicalJson(one)),
    );
  }
  for (const { principalId } of keys) {
    assert.ok(state.principal.byId.has(principalId), `principal ${principalId} exists`);
  }
  for (const { backend } of models) {
    assert.ok(backend === null || state.provider.byId.has(backend.providerId), 'provider exists');
  }
  const classes = [...state.prompt_class.byId.values()];
  const servers = [...state.mcp_server.byId.values()].map(({ details }) => details);
  const agents = [...state.agent.byId.values()].map(({ details }) => details);
  for (const named of [classes, servers, agents]) {
    assertUnique(
      'names of classes, servers and agents',
      named.map(({ name }) => name),
    );
  }
  for (const { refines, examples } of classes) {
    assertUnique('what a class refines', refines);
    for (const id of refines) assert.ok(state.prompt_class.byId.has(id), `class ${id} exists`);
    assertUnique(
      'examples of a class',
      examples.map(({ fingerprint }) => fingerprint),
    );
    assertUnique(
      'ids of examples',
      examples.map(({ id }) => id),
    );
  }
  const refined = new Map(classes.map(({ id, refines }) => [id, refines]));
  assert.equal(refined.size, withoutLoops(refined), 'no class refines itself, however far');
  const fallback = state.settings.byId.get(1)?.fallbackModelId ?? null;
  assert.ok(fallback === null || state.model.byId.has(fallback), 'fallback model exists');
  for (const noun of nouns) {
    for (const [id, entity] of state[noun].byId) assert.equal(entity.id, id);
    for (const id of state[noun].byId.keys()) assert.ok(id <= state[noun].lastId);
  }
}

/**
 * The number of nodes that can be removed one by one, each when it references no remaining node.
 */
function withoutLoops(edges: ReadonlyMap<number, readonly number[]>): number {
  const left = new Map(edges);
  for (;;) {
    const free = [...left].find(([, to]) => !to.some((id) => left.has(id)));
    if (free === undefined) return edges.size - left.size;
    left.delete(free[0]);
  }
}

it('random commands make events of every type', () => {
  const made = new Set<string>();
  // Rare events need luck, so that further seeds are drawn until every type has occurred.
  for (let seed = 1; seed <= 6 && made.size < Object.keys(catalogue).length; seed++) {
    for (const commands of fc.sample(commandSequence(100), { numRuns: 3000, seed })) {
      for (const { type } of allEvents(logOf(commands))) made.add(type);
    }
  }
  assert.deepEqual([...made].toSorted(), Object.keys(catalogue).toSorted());
});

describe('of every log', () => {
  it('the fold in pieces is the fold at once', () => {
    const pieces = fc.array(fc.nat({ max: 200 }), { maxLength: 8 });
    fc.assert(
      fc.property(commandSequence(80), pieces, (commands, cuts) => {
        const log = logOf(commands);
        const events = allEvents(log);
        const bounds = [...cuts.filter((cut) => cut < events.length), 0, events.length];
        const sorted = [...new Set(bounds)].toSorted((a, b) => a - b);
        const folded = sorted
          .slice(1)
          .reduce((state, end, index) => fold(state, events.slice(sorted[index], end)), emptyState);
        assert.deepEqual(folded, fold(emptyState, events));
        assert.deepEqual(folded, log.state);
      }),
      options,
    );
  });

  it('the state is consistent after every command, and the events are contiguous', () => {
    fc.assert(
      fc.property(commandSequence(80), (commands) => {
        const log = logOf(commands);
        for (const { after } of steps(log)) assertSound(after);
        const events = allEvents(log);
        events.forEach((event, index) => assert.equal(event.position, index + 1));
        const versions = Map.groupBy(events, ({ stream }) => stream);
        for (const held of versions.values()) {
          held.forEach((event, index) => assert.equal(event.version, index + 1));
        }
      }),
      options,
    );
  });

  it('no id is given twice', () => {
    fc.assert(
      fc.property(commandSequence(80), (commands) => {
        const created = allEvents(logOf(commands)).filter(({ type }) => type.endsWith('Created'));
        assertUnique(
          'streams of creations',
          created.map(({ stream }) => stream),
        );
      }),
      options,
    );
  });

  it('an earlier state never changes, and untouched slices are shared with it', () => {
    fc.assert(
      fc.property(commandSequence(60), (commands) => {
        // The states and events of the log are frozen: a fold that modified one would fail in
        // logOf.
        for (const { before, events, after } of steps(logOf(commands))) {
          const touched = new Set(events.map(({ stream }) => stream.slice(0, stream.indexOf('-'))));
          for (const noun of nouns) {
            assert.equal(after[noun] === before[noun], !touched.has(noun), noun);
          }
        }
      }),
      options,
    );
  });

  it('the content hash moved along is the hash of the configuration, and that of a new count', () => {
    fc.assert(
      fc.property(commandSequence(80), (commands) => {
        let content = contentHashOf(emptyState);
        for (const { events, after } of steps(logOf(commands))) {
          const streams = events.map(({ stream }) => stream);
          content = movedContentHash(content, after, streams);
          assert.equal(contentHashText(content), hashOf(after));
        }
        const log = logOf(commands);
        assert.equal(contentHashText(contentHashOf(log.state)), hashOf(log.state));
      }),
      options,
    );
  });

  it('the configuration changes with a new version alone', () => {
    fc.assert(
      fc.property(commandSequence(80), (commands) => {
        for (const { before, after } of steps(logOf(commands))) {
          if (before.version === after.version) assert.equal(hashOf(before), hashOf(after));
        }
      }),
      options,
    );
  });
});

describe('the content hash', () => {
  it('is moved right over the bounds of buckets, when they fill and when they empty', () => {
    const keys = Array.from({ length: 515 }, (_, index) => index + 1);
    let log = append(emptyLog, [principalCreated(1, plainName('ci'))]);
    const step = (events: Parameters<typeof append>[1]) => {
      const content = contentHashOf(log.state);
      log = append(log, events);
      const moved = movedContentHash(
        content,
        log.state,
        events.map(({ stream }) => stream),
      );
      assert.equal(contentHashText(moved), hashOf(log.state));
    };
    step(keys.map((key) => keyCreated(key, 1)));
    for (const key of [255, 256, 257, 511, 512, 515]) step([keyRevoked(key)]);
    step([keyDeleted(256)]);
    step(keys.filter((key) => key > 256).map(keyDeleted));
    step(keys.filter((key) => key < 256).map(keyDeleted));
  });

  it('does not depend on the order in which members lie', () => {
    const log = logOf([
      { type: 'SeedLog', bootstrapName: plainName('bootstrap') },
      { type: 'CreateModel', name: 'a', fields: {} },
      { type: 'CreateModel', name: 'b', fields: {} },
    ]);
    const config = snapshotConfig(log.state);
    const turned = { ...config, models: config.models.toReversed() };
    assert.equal(configHash(turned), configHash(config));
  });

  it('tells any two configurations apart that differ in one member', () => {
    const log = logOf([{ type: 'SeedLog', bootstrapName: plainName('bootstrap') }]);
    const config = snapshotConfig(log.state);
    const { settings } = config;
    const changed = [
      { ...config, principals: [] },
      { ...config, roles: config.roles.slice(1) },
      { ...config, settings: { ...settings, open: !settings.open } },
    ];
    assertUnique('hashes', [config, ...changed].map(configHash));
  });
});

describe('canonical JSON', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, member]) => [key, shuffled(member)] as const);
    return Object.fromEntries(entries.toReversed());
  };

  it('is the same in whatever order the keys of a value lie', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(canonicalJson(shuffled(value)), canonicalJson(value));
      }),
    );
  });

  it('reads back as the value, and is the same again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
        assert.equal(canonicalJson(JSON.parse(text)), text);
      }),
    );
  });
});
