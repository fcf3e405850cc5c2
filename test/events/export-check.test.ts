// Tests that any change to an export of the log is detected.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { signedNote, signingKey } from '../../events/checkpoint.ts';
import { createExportCheck, noTrust } from '../../events/export-check.ts';
import { genesisHash, seal } from '../../events/seal.ts';
import { roleId } from '../../src/lib/ids.ts';
import { browserMeans } from '../../ui/lib/history/ed25519.ts';

const logId = '11111111-2222-4333-8444-555555555555';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const key = signingKey(new Uint8Array(32).fill(1));

/** An export of a log of five events with a checkpoint after the third. */
function exported(): readonly string[] {
  const head = { logId, position: 0, hash: genesisHash(logId), recordedAt: 0 };
  const described = Array.from({ length: 4 }, (_, index): GwEvent => ({
    stream: 'role-1',
    type: 'RoleDescribed',
    data: { id: roleId.parse(1), description: `text ${index}` },
  }));
  const keySet: GwEvent = {
    stream: 'settings-1',
    type: 'AuditKeySet',
    data: { public_key: key.publicKey, previous: null, signature: null },
  };
  const facts = [keySet, ...described];
  let ids = 0;
  const sealed = seal(facts, head, {
    txId: logId,
    at: 1_000,
    metadata: {
      actor: { kind: 'cli', principal_id: null },
      command: 'DescribeRole',
      action: 'CLI',
      target: 'test',
      request_id: 'test',
      app_version: 'test',
      reason_ref: null,
    },
    newId: () => `${(ids += 1)}`,
    streamVersion: () => 0,
  });
  const begin = {
    gw_log_export: 1,
    log_id: logId,
    from: 1,
    to: 5,
    previous_hash: hex(head.hash),
    audit_key: null,
  };
  const lines = sealed.flatMap((event) => {
    const { position, hash } = event;
    const line = {
      position,
      stream: event.stream,
      version: event.version,
      event_id: event.eventId,
      type: event.type,
      schema: event.schema,
      tx_id: event.txId,
      recorded_at: event.recordedAt,
      metadata: event.metadata,
      payload: event.payload,
      payload_digest: hex(event.payloadDigest),
      leaf_hash: hex(event.leafHash),
      hash: hex(hash),
    };
    const note = { checkpoint: signedNote({ logId, position, hash }, key) };
    return position === 3 ? [line, note] : [line];
  });
  const last = sealed.at(-1);
  assert.ok(last !== undefined);
  const end = { end: 5, hash: hex(last.hash), events: 5, checkpoints: 1 };
  return [begin, ...lines, end].map((line) => JSON.stringify(line));
}

/** The last valid position, and the problem. */
async function verified(lines: readonly string[]) {
  const check = createExportCheck(noTrust, browserMeans);
  for (const line of lines) {
    const taken = await check.take(line);
    if (taken.kind !== 'finding') continue;
    return { ...check.state(), problem: { position: taken.position, text: taken.problem } };
  }
  const found = check.end();
  const problem = found === null ? null : { position: found.position, text: found.problem };
  return { ...check.state(), problem };
}

it('a log as it is exported holds, with its checkpoints, to its end', async () => {
  const { position, checkpoints, problem } = await verified(exported());
  assert.deepEqual([position, checkpoints, problem], [5, 1, null]);
});

it('one that is cut off has no end', async () => {
  const { problem } = await verified(exported().slice(0, -1));
  assert.deepEqual(problem, { position: 6, text: 'the export is cut off' });
});

for (const [what, alter, position] of [
  ['data', ['text 1', 'text 9'], 3],
  ['an actor', ['\\"kind\\":\\"cli\\"', '\\"kind\\":\\"api\\"'], 1],
  ['a stream', ['"stream":"role-1","version":3', '"stream":"role-2","version":3'], 4],
  ['a checkpoint', [`gw/${logId}\\n3`, `gw/${logId}\\n2`], 3],
  ['the end', ['"end":5', '"end":4'], 6],
] as const) {
  it(`an altered ${what} is found where it stands`, async () => {
    const [before, after] = alter;
    const lines = exported();
    const changed = lines.map((line) => line.replace(before, after));
    assert.notDeepEqual(changed, lines);
    assert.equal((await verified(changed)).problem?.position, position);
  });
}

it('an event without its payload is found', async () => {
  const lines = exported().map((line) =>
    line.includes('"position":4') ? JSON.stringify({ ...JSON.parse(line), payload: null }) : line,
  );
  const { problem } = await verified(lines);
  assert.deepEqual(problem, { position: 4, text: '1 event has no payload (position 4)' });
});

it('an event that is left out, or put in again, is found', async () => {
  const [begin = '', first = '', ...rest] = exported();
  assert.equal((await verified([begin, ...rest])).problem?.position, 1);
  assert.equal((await verified([begin, first, first, ...rest])).problem?.position, 2);
  assert.equal((await verified([begin, 'what', first, ...rest])).problem?.position, 1);
});
