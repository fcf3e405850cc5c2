// Tests that every (type, version) ever written can still be read. Each has a stored payload in
// test/fixtures/events, which is never edited, and its current form must not change unnoticed.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';
import { z } from 'zod';

import {
  catalogue,
  eventsByNoun,
  parseStream,
  readEvent,
  schemaOf,
  streamOf,
} from '../../events/catalogue.ts';
import { append, emptyLog } from '../harness/events/test-log.ts';

const directory = join(import.meta.dirname, '../fixtures/events');
const fixture = z.strictObject({ stream: z.string(), stored: z.unknown(), read: z.unknown() });

const written = Object.keys(catalogue).flatMap((type) =>
  Array.from({ length: schemaOf(type) }, (_, index) => ({ type, schema: index + 1 })),
);
const fileOf = ({ type, schema }: { type: string; schema: number }) => `${type}.v${schema}.json`;
const readFixture = (file: string) =>
  fixture.parse(JSON.parse(readFileSync(join(directory, file), 'utf8')));

describe('the catalogue', () => {
  it('has a fixture for each version of each type, and no fixture of anything else', () => {
    assert.deepEqual(readdirSync(directory).toSorted(), written.map(fileOf).toSorted());
  });

  for (const version of written) {
    it(`reads ${version.type} as it was stored at version ${version.schema}`, () => {
      const { stream, stored, read } = readFixture(fileOf(version));
      assert.deepEqual(readEvent({ stream, ...version, data: stored }).data, read);
    });
  }

  it('names a type once: no noun takes that of another', () => {
    const types = Object.values(eventsByNoun).flatMap((definitions) => Object.keys(definitions));
    assert.equal(new Set([...types, 'NoChange']).size, types.length + 1);
  });

  it('names types and streams as the log accepts them', () => {
    for (const { type } of written) assert.match(type, /^[A-Z][A-Za-z]{2,63}$/);
    for (const noun of Object.keys(eventsByNoun)) assert.match(`${noun}-1`, /^[a-z_]+-1$/);
  });

  it('stops at a type that it does not know', () => {
    for (const type of ['ProviderTeleported', 'constructor', 'toString']) {
      assert.throws(
        () => readEvent({ stream: 'provider-1', type, schema: 1, data: {} }),
        /newer than this program/,
      );
    }
  });

  it('stops at a version that it does not know', () => {
    for (const { type } of written) {
      for (const schema of [0, schemaOf(type) + 1]) {
        const stored = { stream: 'settings-1', type, schema, data: {} };
        assert.throws(() => readEvent(stored), /newer than this program/);
      }
    }
  });

  it('stops at data that does not fit its type', () => {
    const stored = { stream: 'provider-1', type: 'ProviderRenamed', schema: 1, data: { id: 1 } };
    assert.throws(() => readEvent(stored), z.ZodError);
  });

  it('adds no snapshot version for an event that changes nothing', () => {
    const { state } = append(emptyLog, [{ stream: 'settings-1', type: 'NoChange', data: {} }]);
    assert.deepEqual([state.position, state.version], [1, 0]);
  });
});

describe('a stream', () => {
  const nouns = Object.keys(eventsByNoun).map((noun) => parseStream(`${noun}-1`).noun);

  it('is a noun and an id, both ways', () => {
    fc.assert(
      fc.property(fc.constantFrom(...nouns), fc.maxSafeNat(), (noun, number) => {
        const id = Math.max(1, number);
        assert.deepEqual(parseStream(streamOf(noun, id)), { noun, id });
      }),
    );
  });

  it('is written in one way alone, so that an entity has one stream', () => {
    const others = [
      '',
      'provider',
      'provider-',
      'provider-0',
      'provider--1',
      'provider-1.5',
      'provider-01',
      'provider-1e1',
      'provider-0x1',
      'provider-+1',
      'provider- 1',
      'provider-9007199254740993',
      'Provider-1',
      'user-1',
      'constructor-1',
    ];
    for (const stream of others) assert.throws(() => parseStream(stream), /not a noun and an id/);
  });
});
