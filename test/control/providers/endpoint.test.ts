// Tests defaults of a provider's endpoint and validation of its address and credential.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { it } from 'node:test';

import { completeEndpoint, unfitCredential } from '../../../src/control/providers/endpoint.ts';
import { findCatalogueEntry } from '../../../src/snapshot/provider-catalogue.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';

it('uses the header of a native protocol unless the operator sets another', () => {
  const api_base = 'https://a.example/v1/';
  assert.deepEqual(completeEndpoint({ api_base, protocol: 'gemini' }, null), {
    api_base: 'https://a.example/v1',
    protocol: 'gemini',
    auth_header: 'x-goog-api-key',
    auth_scheme: null,
  });
  assert.deepEqual(completeEndpoint({ api_base, auth_header: 'X-Key', auth_scheme: '' }, null), {
    api_base: 'https://a.example/v1',
    protocol: 'openai',
    auth_header: 'x-key',
    auth_scheme: null,
  });
});

it('fills in missing fields from the catalogue', () => {
  const entry = findCatalogueEntry('azure-openai');
  const api_base = 'https://mine.openai.azure.com/openai/v1';
  assert.deepEqual(completeEndpoint({ api_base }, entry), {
    api_base,
    protocol: 'openai',
    auth_header: 'api-key',
    auth_scheme: null,
  });
});

it('normalizes an address', () => {
  for (const api_base of ['HTTP://A.Example:80/v1//', 'http://a.example/v1']) {
    const endpoint = completeEndpoint({ api_base }, null);
    assert.ok(!isRefusal(endpoint));
    assert.equal(endpoint.api_base, 'http://a.example/v1');
  }
});

it('accepts a service account credential only as a key file with a readable key', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const file = { client_email: 'a@b.example', private_key: privateKey };
  assert.equal(unfitCredential('cloud_service_account', JSON.stringify(file)), null);
  for (const text of ['', 'sk-123', '{}', JSON.stringify({ ...file, private_key: 'not a key' })]) {
    const refusal = unfitCredential('cloud_service_account', text);
    assert.equal(refusal?.param, 'upstream_api_key');
    assert.doesNotMatch(refusal.message, /sk-123/);
  }
});
