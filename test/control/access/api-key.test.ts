// Tests the format of API keys.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { apiKeyRandomBytes, mintApiKey } from '../../../src/control/access/api-key.ts';

const random = fc.uint8Array({ minLength: apiKeyRandomBytes, maxLength: apiKeyRandomBytes });

it('has the prefix gw-, 43 random characters and a checksum of 6', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const { key, prefix, verifier } = mintApiKey(bytes);
      assert.match(key, /^gw-[0-9A-Za-z]{49}$/);
      assert.equal(prefix, key.slice(0, 12));
      assert.equal(verifier, hash('sha256', key));
    }),
  );
});

it('makes different keys from different random values', () => {
  fc.assert(
    fc.property(random, random, (first, second) => {
      fc.pre(!Buffer.from(first).equals(Buffer.from(second)));
      assert.notEqual(mintApiKey(first).key, mintApiKey(second).key);
    }),
  );
});

it('has a fixed width for the largest and smallest random value', () => {
  assert.match(mintApiKey(new Uint8Array(32)).key, /^gw-0{43}/);
  assert.equal(mintApiKey(new Uint8Array(32).fill(255)).key.length, 52);
});
