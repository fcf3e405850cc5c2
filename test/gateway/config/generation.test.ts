// A generation keeps what its endpoints have seen, and sends what the newest snapshot says.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { nextGeneration, noteSent } from '../../../src/gateway/generation.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { compileSnapshot } from '../../../src/snapshot/compile.ts';
import { snapshotOverlay } from '../../../src/snapshot/schema.ts';
import { givenSnapshot } from '../../harness/gateway/snapshot.ts';

it('a renewed access token is sent by an endpoint that keeps its counters', () => {
  const first = nextGeneration(null, compiledWith('token-1'), 0);
  const [state] = first.backends;
  assert.ok(state !== undefined);
  noteSent(state);
  const [renewed] = nextGeneration(first, compiledWith('token-2'), 0).backends;
  assert.equal(renewed, state);
  assert.equal(renewed?.requests, 1);
  assert.deepEqual(renewed?.backend.credentialHeaders, ['authorization', 'Bearer token-2']);
});

function compiledWith(token: string) {
  const given = givenSnapshot({
    models: { a: { backends: [{ apiBase: 'http://one/v1', credential: 'a key file' }] } },
  });
  const providers = given.config.providers.map((provider) => ({
    ...provider,
    credential_kind: 'cloud_service_account' as const,
  }));
  const overlay = snapshotOverlay.parse({ seq: 1, tokens: [{ provider_id: 1, token }] });
  const compiled = compileSnapshot({ ...given, config: { ...given.config, providers }, overlay });
  assert.ok(!isRefusal(compiled));
  return compiled;
}
