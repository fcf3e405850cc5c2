// Tests reading older versions with a definition that has two: each step converts to the next
// version, and each version is checked against its own schema first.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { z } from 'zod';

import { currentSchema, upcast } from '../../events/event.ts';
import type { EventDefinition } from '../../events/event.ts';

const first = z.object({ seconds: z.int() });
const second = z.object({ waitMs: z.int() });

const waited: EventDefinition = {
  touchesSnapshot: false,
  data: z.object({ waitMs: z.int(), reason: z.string() }),
  past: [
    { data: first, upcast: (older) => ({ waitMs: first.parse(older).seconds * 1000 }) },
    { data: second, upcast: (older) => ({ ...second.parse(older), reason: 'unknown' }) },
  ],
};

describe('an event of an older version', () => {
  it('is lifted step by step to the current one', () => {
    assert.equal(currentSchema(waited), 3);
    assert.deepEqual(upcast(waited, 1, { seconds: 2 }), { waitMs: 2000, reason: 'unknown' });
    assert.deepEqual(upcast(waited, 2, { waitMs: 5 }), { waitMs: 5, reason: 'unknown' });
  });

  it('is left alone at the current version', () => {
    const data = { waitMs: 7, reason: 'lock' };
    assert.deepEqual(upcast(waited, 3, data), data);
  });

  it('is checked against the schema of its own version', () => {
    assert.throws(() => upcast(waited, 1, { waitMs: 5 }), z.ZodError);
    assert.throws(() => upcast(waited, 2, { seconds: 2 }), z.ZodError);
  });

  it('is checked again where the steps have brought it', () => {
    const broken: EventDefinition = {
      ...waited,
      past: [{ data: first, upcast: () => ({ waitMs: 'soon' }) }],
    };
    assert.throws(() => upcast(broken, 1, { seconds: 2 }), z.ZodError);
  });

  it('of a version that is not known stops the reader', () => {
    for (const schema of [4, 0, -1]) {
      assert.throws(() => upcast(waited, schema, {}), /newer than this program/);
    }
  });

  it('has its stored data left unchanged', () => {
    const stored = Object.freeze({ seconds: 2 });
    upcast(waited, 1, stored);
    assert.deepEqual(stored, { seconds: 2 });
  });
});

describe('a type without older versions', () => {
  it('is at version 1', () => {
    assert.equal(currentSchema({ touchesSnapshot: false, data: first }), 1);
  });
});
