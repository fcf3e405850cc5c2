// Tests that the verification of an export, with gw and without, detects removed payloads.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { gw } from '../harness/program/command-line.ts';
import {
  exported,
  nextAuditKey,
  signedPlane,
  unanchored,
  verifyOffline,
} from '../harness/control/signed-log.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

/** Writes an export of a valid log without these payloads. */
async function exportWithout(t: TestContext, positions: readonly number[]): Promise<string> {
  const { plane } = await signedPlane(t);
  const file = path.join(await temporaryDirectory(t), 'log.ndjson');
  const lines = (await exported(plane.db)).trimEnd().split('\n');
  const redacted = lines.map((line) => {
    const record: { position?: number } = JSON.parse(line);
    const { position } = record;
    if (position === undefined || !positions.includes(position)) return line;
    return JSON.stringify({ ...record, payload: null });
  });
  await writeFile(file, `${redacted.join('\n')}\n`);
  return file;
}

const finding = 'position 5: 2 events have no payload (positions 5, 12)\n';

it('reports events whose payload was removed, and exits with 10', async (t) => {
  const file = await exportWithout(t, [5, 12]);
  const { code, stdout } = await gw(['log', 'verify-export', file]);
  assert.deepEqual([code, stdout], [10, finding]);
  assert.deepEqual(await verifyOffline(file), { code: 10, stdout: finding });
});

it('still reports them with --allow-redacted, and exits with 0', async (t) => {
  const file = await exportWithout(t, [5]);
  const allowed = await gw(['log', 'verify-export', file, '--allow-redacted']);
  assert.match(
    allowed.stdout,
    /are valid, up to hash .*\n1 event has no payload \(position 5\)\nwithout /,
  );
  assert.equal(allowed.code, 0);
  const { code, stdout } = await verifyOffline(file, '--allow-redacted');
  assert.match(stdout, /all valid.*\n1 event has no payload \(position 5\)\nwithout /);
  assert.equal(code, 0);
});

it('states what it cannot prove without kept checkpoints, even with a trusted key', async (t) => {
  const { plane } = await signedPlane(t);
  const directory = await temporaryDirectory(t);
  const [file, kept] = [path.join(directory, 'log.ndjson'), path.join(directory, 'kept.ndjson')];
  const text = await exported(plane.db);
  await writeFile(file, text);
  const notes = text.split('\n').filter((line) => line.startsWith('{"checkpoint"'));
  const key = ['--key', nextAuditKey.publicKey];
  const outputsOf = async (...parameters: readonly string[]): Promise<readonly string[]> => {
    const own = await gw(['log', 'verify-export', file, ...parameters]);
    const offline = await verifyOffline(file, ...parameters);
    assert.deepEqual([own.code, offline.code], [0, 0]);
    return [own.stdout, offline.stdout];
  };
  await writeFile(kept, '');
  for (const parameters of [[], key, ['--anchor', kept]]) {
    for (const output of await outputsOf(...parameters))
      assert.ok(output.endsWith(unanchored), output);
  }
  await writeFile(kept, `${notes.join('\n')}\n`);
  for (const output of await outputsOf(...key, '--anchor', kept)) {
    assert.ok(!output.includes(unanchored), output);
  }
});

it('names twenty positions and counts the others', async (t) => {
  const file = await exportWithout(
    t,
    Array.from({ length: 21 }, (_, at) => at + 1),
  );
  const { stdout } = await gw(['log', 'verify-export', file]);
  assert.match(stdout, /^position 1: 21 events have no payload \(positions 1, 2, .*, 20, …\)\n$/);
  assert.equal((await verifyOffline(file)).stdout, stdout);
});
