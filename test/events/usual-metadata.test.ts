// Tests that text recognised as usual metadata always parses as metadata, for random changes of the
// text.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { eventMetadata } from '../../events/event.ts';
import { isUsualMetadata } from '../../events/usual-metadata.ts';

const metadata = {
  actor: { kind: 'session', principal_id: 7 },
  command: 'CreateModel',
  action: 'POST',
  target: '/admin/provider-models',
  request_id: 'a',
  reason_ref: '0b7c1a52-9d4e-4c1f-8a57-0d1a2b3c4d5e',
  app_version: '1.0',
  index: 0,
  count: 12,
};
const text = JSON.stringify(metadata);

describe('usual metadata', () => {
  const cases: Readonly<Record<string, object>> = {
    'of a session': metadata,
    'without a principal and a reason': {
      ...metadata,
      actor: { kind: 'cli', principal_id: null },
      reason_ref: null,
    },
    'with a target of other letters': { ...metadata, target: '/admin/モデル' },
  };
  for (const [what, value] of Object.entries(cases)) {
    it(`is metadata ${what}`, () => {
      assert.ok(isUsualMetadata(JSON.stringify(value)));
      eventMetadata.parse(value);
    });
  }

  it('is read without an error, with any piece of the text in the place of another', () => {
    const at = fc.nat(text.length);
    const piece = fc.oneof(
      fc.tuple(at, at).map(([from, to]) => text.slice(from, to)),
      fc.constantFrom('-1', '0', '01', '1.5', '1e3', '9'.repeat(15), '\\', '"', '\n', 'null', '{}'),
    );
    fc.assert(
      fc.property(at, at, piece, (from, to, piece) => {
        const altered = text.slice(0, Math.min(from, to)) + piece + text.slice(Math.max(from, to));
        if (isUsualMetadata(altered)) eventMetadata.parse(JSON.parse(altered));
      }),
      { numRuns: 5000 },
    );
  });

  it('is not what lacks a member, has one more, or a number that is none', () => {
    for (const other of [
      text.replace('"index":0', '"index":-1'),
      text.replace('"count":12', '"count":0'),
      text.replace('"count":12', '"count":9007199254740993'),
      text.replace('"principal_id":7', '"principal_id":0'),
      text.replace('"command":"CreateModel",', ''),
      text.replace('-4c1f-', '-0c1f-'),
      `${text} `,
    ]) {
      assert.ok(!isUsualMetadata(other), other);
    }
  });
});
