// Tests what role all remembers of the log: the positions of its snapshots, across restarts, for
// one log only.

import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';

import { openWitness } from '../../src/cli/roles/witness.ts';
import { createSnapshotCache } from '../../src/gateway/control-link/cache.ts';
import { createLive } from '../../src/gateway/config/live.ts';
import type { Snapshot } from '../../src/snapshot/schema.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { collectLog } from '../harness/gateway/gateway.ts';
import type { LogLine } from '../harness/gateway/gateway.ts';
import { givenSnapshot } from '../harness/gateway/snapshot.ts';

const snapshotAt = (position: number, log = 'test'): Snapshot => ({
  ...givenSnapshot({ version: position, models: {}, keys: {} }),
  log: { id: log, position, hash: `hash ${position}` },
});

async function open(file: string) {
  const lines: LogLine[] = [];
  const log = collectLog(lines);
  const live = createLive({ log, monotonic: () => 0 });
  const cache = createSnapshotCache({ path: file, secret: 'a secret of the tests' });
  const witness = await openWitness({ cache, live, log });
  const serve = (snapshot: Snapshot): void => {
    assert.equal(live.apply(snapshot), undefined);
    witness.keep({ snapshot });
  };
  const seen = (): readonly number[] => live.seen().map(({ position }) => position);
  const logged = (message: string) => lines.filter((line) => line.message === message);
  return { serve, seen, logged, close: witness.close };
}

it('remembers the positions of earlier snapshots across restarts, newest first', async (t) => {
  const file = path.join(await temporaryDirectory(t), 'snapshot.json');
  const first = await open(file);
  for (const position of [1, 2, 3]) first.serve(snapshotAt(position));
  await first.close();
  const second = await open(file);
  assert.deepEqual(second.seen(), [3, 2, 1]);
  second.serve(snapshotAt(4));
  await second.close();
  assert.deepEqual((await open(file)).seen(), [4, 3, 2, 1]);
});

it('warns once of a database with another log, and forgets the positions of the first', async (t) => {
  const warning = 'the database holds a different log than at the last start';
  const file = path.join(await temporaryDirectory(t), 'snapshot.json');
  const first = await open(file);
  first.serve(snapshotAt(7));
  await first.close();
  assert.equal(first.logged(warning).length, 0);
  const second = await open(file);
  for (const position of [1, 2]) second.serve(snapshotAt(position, 'another'));
  await second.close();
  assert.equal(second.logged(warning).length, 1);
  assert.deepEqual(second.seen(), [2, 1]);
});

it('continues, with one warning, if it cannot write', async () => {
  const witness = await open('/dev/null/snapshot.json');
  for (const position of [1, 2, 3]) {
    witness.serve(snapshotAt(position));
    await witness.close();
  }
  assert.equal(witness.logged('writing the snapshot cache failed').length, 1);
  assert.deepEqual(witness.seen(), [3, 2, 1]);
});
