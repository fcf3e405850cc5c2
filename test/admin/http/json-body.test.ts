// Tests that a JSON body is refused if it has a duplicate key or `__proto__` in any spelling, and is read otherwise.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import { readJsonBody } from '../../../src/admin/http/json-body.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

const refusalOf = (text: string): string | null => {
  const read = readJsonBody(Buffer.from(text));
  return isRefusal(read) ? read.message : null;
};

describe('a JSON body', () => {
  it('is refused with a duplicate key at any depth, in any spelling', () => {
    for (const text of [
      '{"name":1,"name":1}',
      '{"a":[{"b":{"name":1,"other":2,"name":3}}]}',
      String.raw`{"name":1,"n\u0061me":2}`,
      '{"name" : 1, "name"\n: 2}',
    ]) {
      assert.equal(refusalOf(text), 'body: name occurs twice', text);
    }
  });

  it('is refused with __proto__ in any spelling', () => {
    for (const text of ['{"a":{"__proto__":{}}}', String.raw`[{"\u005f_proto__":1}]`]) {
      assert.equal(refusalOf(text), '__proto__ is not a known field', text);
    }
  });

  it('is read with brackets, colons, quotes and backslashes in its strings', () => {
    const value = { 'a": {': String.raw`\":"[{`, b: String.raw`\\`, c: ':"b":1,"b":2' };
    assert.deepEqual(readJsonBody(Buffer.from(JSON.stringify(value))), { value });
  });

  it('is read as JSON.parse does', () => {
    const property = fc.property(fc.json(), (text) => {
      if (text.includes('__proto__')) return;
      assert.deepEqual(readJsonBody(Buffer.from(text)), { value: JSON.parse(text) });
    });
    fc.assert(property, { numRuns: 500 });
  });
});
