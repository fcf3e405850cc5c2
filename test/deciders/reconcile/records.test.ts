// Tests which current resource a resource of declarative files matches.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { reconcile } from '../../../src/deciders/reconcile/records.ts';
import type { HeldRecord, WantedRecord } from '../../../src/deciders/reconcile/records.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

const held = (id: number, key: string): HeldRecord => ({
  list: 'models',
  stream: `model-${id}`,
  key,
  name: key,
  fields: {},
  shown: {},
});

const wanted = (key: string, at = 0): WantedRecord => ({
  list: 'models',
  at,
  key,
  name: key,
  was: null,
  stated: [],
  fields: {},
  shown: {},
});

/** The last apply managed model 1 under the name `chat`. */
const managed = new Map([
  ['model-1', { list: 'models', set: 'default', name: 'chat', fields: [] }],
]);
const policy = { set: 'default', prune: new Set<string>() };

function pairsOf(standing: readonly HeldRecord[], files: readonly WantedRecord[]) {
  const reconciled = reconcile(standing, files, managed, policy);
  assert.ok(!isRefusal(reconciled));
  return reconciled.pairs.map(({ wanted: one, held: found }) => [one.key, found?.stream ?? null]);
}

it('a resource that was renamed by hand is still meant by its old name', () => {
  assert.deepEqual(pairsOf([held(1, 'chat-2')], [wanted('chat')]), [['chat', 'model-1']]);
});

it('a resource that was renamed by hand keeps its new name when the files name it so', () => {
  const standing = [held(1, 'chat-2'), held(2, 'chat')];
  assert.deepEqual(pairsOf(standing, [wanted('chat'), wanted('chat-2', 1)]), [
    ['chat', 'model-2'],
    ['chat-2', 'model-1'],
  ]);
});
