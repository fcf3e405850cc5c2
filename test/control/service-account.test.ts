// A key file is exchanged for an access token, which is kept until five minutes before its end (Gateway rule 15).

import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { it } from 'node:test';

import { createEgress } from '../../src/control/egress.ts';
import { createAccessToken } from '../../src/control/service-account.ts';
import { isRefusal } from '../../src/lib/refusal.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** An exchange that answers with `status` and a numbered token. */
async function started(test: TestContext, status = 200) {
  const forms: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      forms.push(new URLSearchParams(text));
      const answer = { access_token: `token-${forms.length}`, expires_in: 3600 };
      response.writeHead(status).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const { dispatcher } = createEgress({ allow: [], deny: [] });
  test.after(async () => {
    await dispatcher.destroy();
    server.close();
  });
  const token_uri = `http://127.0.0.1:${address.port}/token`;
  const keyFile = JSON.stringify({
    client_email: 'a@b.example',
    private_key: privateKey,
    token_uri,
  });
  return { forms, dispatcher, token_uri, keyFile, signal: AbortSignal.timeout(10_000) };
}

it('the assertion says who asks and is signed with the key of the file', async (t) => {
  const { forms, dispatcher, keyFile, token_uri, signal } = await started(t);
  const accessToken = createAccessToken({ dispatcher, clock: () => 1_700_000_000_000 });
  assert.equal(await accessToken(keyFile, signal), 'token-1');
  const [header = '', claims = '', signature = ''] = (forms[0]?.get('assertion') ?? '').split('.');
  assert.deepEqual(JSON.parse(Buffer.from(claims, 'base64url').toString()), {
    iss: 'a@b.example',
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: token_uri,
    iat: 1_700_000_000,
    exp: 1_700_003_600,
  });
  const signed = Buffer.from(`${header}.${claims}`);
  const key = createPublicKey(publicKey);
  assert.ok(verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url')));
});

it('a token is kept until five minutes before its end', async (t) => {
  const { dispatcher, keyFile, signal } = await started(t);
  let now = 0;
  const accessToken = createAccessToken({ dispatcher, clock: () => now });
  assert.equal(await accessToken(keyFile, signal), 'token-1');
  now = 55 * 60_000 - 1;
  assert.equal(await accessToken(keyFile, signal), 'token-1');
  now += 1;
  assert.equal(await accessToken(keyFile, signal), 'token-2');
});

it('an exchange that fails is a refusal without any of the file in it', async (t) => {
  const { dispatcher, keyFile, signal } = await started(t, 400);
  const accessToken = createAccessToken({ dispatcher, clock: () => 0 });
  const refusal = await accessToken(keyFile, signal);
  assert.ok(isRefusal(refusal));
  assert.deepEqual([refusal.refused, refusal.param], ['upstream', 'upstream_api_key']);
  assert.doesNotMatch(refusal.message, /PRIVATE|a@b/);
});
