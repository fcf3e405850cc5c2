// The form of an API key.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';

import * as fc from 'fast-check';

import { apiKeyRandomBytes, mintApiKey } from '../../../src/control/access/api-key.ts';

const random = fc.uint8Array({ minLength: apiKeyRandomBytes, maxLength: apiKeyRandomBytes });

it('an API key is gw-, 43 characters of randomness and 6 of checksum', () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const { key, prefix, verifier } = mintApiKey(bytes);
      assert.match(key, /^gw-[0-9A-Za-z]{49}$/);
      assert.equal(prefix, key.slice(0, 12));
      assert.equal(verifier, hash('sha256', key));
    }),
  );
});

it('two different random values give two different keys', () => {
  fc.assert(
    fc.property(random, random, (first, second) => {
      fc.pre(!Buffer.from(first).equals(Buffer.from(second)));
      assert.notEqual(mintApiKey(first).key, mintApiKey(second).key);
    }),
  );
});

it('the largest and the smallest random value keep the width', () => {
  assert.match(mintApiKey(new Uint8Array(32)).key, /^gw-0{43}/);
  assert.equal(mintApiKey(new Uint8Array(32).fill(255)).key.length, 52);
});
