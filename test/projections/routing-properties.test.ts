// Tests properties of frontend models and pools after random commands.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import type { ConfigState } from '../../projections/config/state.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { targetsIn } from '../../src/deciders/model-reference.ts';
import { eventsOf, logOf, modelCommands } from '../harness/events/commands.ts';
import { allEvents, append, emptyLog, testMetadata } from '../harness/events/test-log.ts';
import {
  poolCommands,
  routingCommands,
  routingPrelude,
} from '../harness/events/routing-commands.ts';
import { runs } from '../harness/property-runs.ts';

const options = runs(400);

/** Commands that create, delete and rename models that are referenced. */
const sequence = fc
  .array(fc.oneof(...modelCommands, ...routingCommands, ...poolCommands), {
    maxLength: 80,
    size: 'max',
  })
  .map((commands) => routingPrelude.concat(commands));

function holdsBehindEach(commands: readonly Command[], check: (state: ConfigState) => void): void {
  let log = emptyLog;
  for (const command of commands) {
    log = append(log, eventsOf(log.state, command), testMetadata(command.type));
    check(log.state);
  }
}

function assertUnique(what: string, values: readonly unknown[]): void {
  assert.equal(new Set(values).size, values.length, `${what}: ${String(values)}`);
}

/** True if a path of jumps leads from a frontend model back to it. */
function isInLoop(state: ConfigState, start: number): boolean {
  const seen = new Set<number>([start]);
  for (const id of seen) {
    for (const { jump_to } of state.frontend_model.byId.get(id)?.rules ?? []) {
      if (jump_to === start) return true;
      if (jump_to !== null) seen.add(jump_to);
    }
  }
  return false;
}

it('no sequence of commands makes a loop of jumps', () => {
  fc.assert(
    fc.property(sequence, (commands) =>
      holdsBehindEach(commands, (state) => {
        for (const id of state.frontend_model.byId.keys()) assert.ok(!isInLoop(state, id));
      }),
    ),
    options,
  );
});

it('a pool shares its name with nothing, and no two models of one kind have the same name', () => {
  fc.assert(
    fc.property(sequence, (commands) =>
      holdsBehindEach(commands, ({ model, frontend_model, pool }) => {
        for (const { byId } of [model, frontend_model]) {
          const names = [...byId.values(), ...pool.byId.values()].map(({ name }) => name);
          assertUnique('names', names);
        }
      }),
    ),
    options,
  );
});

it('targets and members refer to what stands, or to a name that no model has', () => {
  fc.assert(
    fc.property(sequence, (commands) =>
      holdsBehindEach(commands, (state) => {
        const names = new Set([...state.model.byId.values()].map(({ name }) => name));
        const targets = [...state.frontend_model.byId.values()].flatMap(targetsIn);
        const members = [...state.pool.byId.values()].flatMap((pool) => pool.members);
        for (const { model_id, pool_id, gone_model } of targets) {
          const set = [model_id, pool_id, gone_model].filter((one) => one !== null);
          assert.equal(set.length, 1);
          assert.ok(pool_id === null || state.pool.byId.has(pool_id));
        }
        for (const { model_id, gone_model } of [...targets, ...members]) {
          assert.ok(model_id === null || state.model.byId.has(model_id));
          assert.ok(gone_model === null || !names.has(gone_model), `${gone_model} is found`);
        }
      }),
    ),
    options,
  );
});

it('rules, targets and members stand at one position each, in order, and no list holds one twice', () => {
  fc.assert(
    fc.property(sequence, (commands) =>
      holdsBehindEach(commands, ({ frontend_model, pool }) => {
        const frontendModels = [...frontend_model.byId.values()];
        const lists = [
          ...frontendModels.map(({ rules }) => rules),
          ...frontendModels.map(({ defaultTargets }) => defaultTargets),
          ...frontendModels.flatMap(({ rules }) => rules.map(({ targets }) => targets)),
          ...[...pool.byId.values()].map(({ members }) => members),
        ];
        for (const list of lists) {
          const positions = list.map(({ position }) => position);
          assertUnique('positions', positions);
          assert.deepEqual(
            positions,
            positions.toSorted((a, b) => a - b),
          );
        }
        const refs = lists
          .slice(frontendModels.length)
          .map((list) =>
            list.map((part) => JSON.stringify({ ...part, id: 0, position: 0, weight: 0 })),
          );
        for (const list of refs) assertUnique('references', list);
      }),
    ),
    options,
  );
});

it('no id of a rule, a target or a member is assigned twice, even after a deletion', () => {
  fc.assert(
    fc.property(sequence, (commands) => {
      const events = allEvents(logOf(commands));
      const added = events.flatMap((event) =>
        event.type === 'FrontendModelRuleAdded' ? [event.data.rule.id] : [],
      );
      assertUnique('rules', added);
      const homes = new Map<string, string>();
      const claim = (part: string, home: string): void => {
        assert.equal(homes.get(part) ?? home, home, `${part} has one home`);
        homes.set(part, home);
      };
      for (const { stream, type, data } of events) {
        if (type === 'FrontendModelRuleAdded') {
          for (const { id } of data.targets) claim(`target ${id}`, `${stream} ${data.rule.id}`);
        } else if (type === 'FrontendModelTargetsSet') {
          for (const { id } of data.targets) claim(`target ${id}`, `${stream} ${data.rule_id}`);
        } else if (type === 'PoolMembersSet') {
          for (const { id } of data.members) claim(`member ${id}`, stream);
        }
      }
    }),
    options,
  );
});
