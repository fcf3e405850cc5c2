// Tests that sealing assigns contiguous positions and stream versions, digests of the exact stored
// bytes and the links of the chain. test/db/event-log.test.ts compares it with SQL.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { chainHash, digest, genesisHash, leafHash, seal } from '../../events/seal.ts';
import {
  fallbackSet,
  modelCreated,
  plainName,
  principalCreated,
} from '../harness/events/examples.ts';
import { append, emptyHead, emptyLog, testMetadata, testRef } from '../harness/events/test-log.ts';

const events = [
  principalCreated(1, plainName('ci')),
  fallbackSet(null),
  modelCreated(1, 'gpt'),
  fallbackSet(1),
];
const command = {
  txId: testRef(1),
  at: 5000,
  newId: () => testRef(2),
  streamVersion: (stream: string) => (stream === 'settings-1' ? 7 : 0),
  metadata: testMetadata('Test'),
};

describe('sealing', () => {
  it('assigns contiguous positions after the head', () => {
    const sealed = seal(events, { ...emptyHead, position: 41 }, command);
    assert.deepEqual(
      sealed.map(({ position }) => position),
      [42, 43, 44, 45],
    );
  });

  it('counts the versions of each stream on, within the command too', () => {
    const sealed = seal(events, emptyHead, command);
    assert.deepEqual(
      sealed.map(({ version }) => version),
      [1, 8, 1, 9],
    );
  });

  it('tells each event its place in the command', () => {
    const metadata = seal(events, emptyHead, command).map((event): unknown =>
      JSON.parse(event.metadata),
    );
    assert.deepEqual(
      metadata,
      events.map((_, index) => ({ ...command.metadata, index, count: 4 })),
    );
  });

  it('never goes back in time: a clock earlier than the head gives the time of the head', () => {
    const times = [4999, 5000, 6000].map(
      (recordedAt) => seal(events, { ...emptyHead, recordedAt }, command)[0]?.recordedAt,
    );
    assert.deepEqual(times, [5000, 5000, 6000]);
  });

  it('chains each event to the one before it, from the genesis of its log', () => {
    let previous = emptyHead.hash;
    for (const event of seal(events, emptyHead, command)) {
      assert.deepEqual(event.payloadDigest, digest(event.payload));
      assert.deepEqual(event.leafHash, leafHash(event));
      previous = chainHash(previous, event.leafHash);
      assert.deepEqual(event.hash, previous);
    }
  });

  it('has another chain in another log', () => {
    const otherHead = { ...emptyHead, hash: genesisHash(testRef(9)) };
    const [here] = seal(events, emptyHead, command);
    const [there] = seal(events, otherHead, command);
    assert.deepEqual(here?.leafHash, there?.leafHash);
    assert.notDeepEqual(here?.hash, there?.hash);
  });

  it('covers every member of the envelope and the payload', () => {
    const [event] = seal(events, emptyHead, command);
    assert.ok(event);
    const changes = [
      { position: 2 },
      { stream: 'principal-2' },
      { version: 2 },
      { eventId: testRef(8) },
      { type: 'PrincipalRenamed' },
      { schema: 2 },
      { txId: testRef(8) },
      { recordedAt: 5001 },
      { metadata: `${event.metadata} ` },
      { payloadDigest: digest(`${event.payload} `) },
    ];
    const leaves = changes.map((change) => leafHash({ ...event, ...change }).toString());
    assert.equal(new Set([event.leafHash.toString(), ...leaves]).size, changes.length + 1);
  });

  it('hashes leaves and nodes under the prefixes of RFC 6962', () => {
    const leaf = digest('leaf');
    assert.deepEqual(
      chainHash(emptyHead.hash, leaf),
      sha256(Uint8Array.of(1), emptyHead.hash, leaf),
    );
  });
});

describe('a log in memory', () => {
  it('is one chain over all of its commands', () => {
    const log = events.reduce((log, event) => append(log, [event]), emptyLog);
    const whole = log.sealed.reduce(
      (previous, event) => chainHash(previous, event.leafHash),
      emptyHead.hash,
    );
    assert.deepEqual(whole, log.head.hash);
    assert.equal(log.state.hash, Buffer.from(whole).toString('hex'));
  });
});

const sha256 = (...parts: Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
