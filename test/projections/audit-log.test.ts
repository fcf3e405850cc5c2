// Tests that the audit log has one row per command with the actor's name at that time.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { emptyCursor } from '../../projections/read-model.ts';
import { splitCommands, writesOf } from '../../projections/rows.ts';
import type { Row } from '../../projections/tables/table.ts';
import { principalId } from '../../src/lib/ids.ts';
import {
  modelCreated,
  plainName,
  principalCreated,
  principalDeleted,
  vaultedName,
} from '../harness/events/examples.ts';
import { allEvents, append, emptyLog, testMetadata, testRef } from '../harness/events/test-log.ts';
import type { TestLog } from '../harness/events/test-log.ts';

const auditRows = (log: TestLog): readonly Row[] => {
  const { writes } = writesOf(emptyCursor(), splitCommands(allEvents(log)).commands);
  return writes.find(({ table }) => table.name === 'audit_log')?.rows ?? [];
};

/** The actor of every command is principal 1. */
const logOf = (...commands: readonly (readonly GwEvent[])[]) =>
  commands.reduce((log, events) => append(log, events), emptyLog);

const actors = (log: TestLog) =>
  auditRows(log).map((row) => [row['actor_id'], row['actor_name'], row['actor_name_ref']]);

describe('an audit row', () => {
  it('describes one command, however many events it has', () => {
    const log = logOf(
      [principalCreated(1, plainName('ci'))],
      [modelCreated(1, 'a')],
      [modelCreated(2, 'b'), modelCreated(3, 'c')],
    );
    assert.deepEqual(
      auditRows(log).map((row) => [row['id'], row['first_position'], row['event_count']]),
      [
        [1, 1, 1],
        [2, 2, 1],
        [4, 3, 2],
      ],
    );
  });

  it('names a service account, and refers to the name of a user', () => {
    const service = logOf([principalCreated(1, plainName('ci'))], [modelCreated(1, 'a')]);
    assert.deepEqual(actors(service)[1], [1, 'ci', null]);
    const user = logOf([principalCreated(1, vaultedName('ada', 7))], [modelCreated(1, 'a')]);
    assert.deepEqual(actors(user)[1], [1, null, testRef(7)]);
  });

  it('names an actor that renamed itself as it was called before', () => {
    const data = { id: principalId.parse(1), name: plainName('build') };
    const renamed: GwEvent = { stream: 'principal-1', type: 'PrincipalRenamed', data };
    const log = logOf([principalCreated(1, plainName('ci'))], [renamed], [modelCreated(1, 'a')]);
    assert.deepEqual(actors(log).slice(1), [
      [1, 'ci', null],
      [1, 'build', null],
    ]);
  });

  it('names an actor that deleted itself', () => {
    const log = logOf([principalCreated(1, plainName('ci'))], [principalDeleted(1)]);
    assert.deepEqual(actors(log)[1], [1, 'ci', null]);
  });

  it('names an actor that is not a principal by its kind', () => {
    const metadata = {
      ...testMetadata('Test'),
      actor: { kind: 'cli', principal_id: null } as const,
    };
    const log = append(emptyLog, [principalCreated(1, plainName('ci'))], metadata);
    assert.deepEqual(actors(log), [[null, 'cli', null]]);
  });
});
