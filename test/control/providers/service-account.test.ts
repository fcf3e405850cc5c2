// Tests the exchange of a key file for an access token (Gateway rule 15).

import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, it } from 'node:test';

import { createEgress } from '../../../src/egress/egress.ts';
import { createExchange, readKeyFile } from '../../../src/control/providers/service-account.ts';
import type { Rejection } from '../../../src/control/providers/service-account.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import {
  privateKey,
  publicKey,
  rejection,
  tokenServer,
} from '../../harness/upstream/token-server.ts';
import type { TokenServer } from '../../harness/upstream/token-server.ts';

const signal = (): AbortSignal => AbortSignal.timeout(10_000);

function exchangeOf({ egress }: Pick<TokenServer, 'egress'>, nowMs = 0) {
  const rejections: Rejection[] = [];
  const onRejected = (rejected: Rejection): void => void rejections.push(rejected);
  return { rejections, exchange: createExchange({ egress, clock: () => nowMs, onRejected }) };
}

describe('an exchange', () => {
  it('sends an assertion signed with the key of the file, and returns the token and its expiry', async (t) => {
    const server = await tokenServer(t);
    const { exchange } = exchangeOf(server, 1_700_000_000_000);
    assert.deepEqual(await exchange(server.keyFile(), signal()), {
      token: 'token-1',
      mintedAtMs: 1_700_000_000_000,
      expiresAtMs: 1_700_003_600_000,
    });
    const [form] = server.forms;
    assert.equal(form?.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header = '', claims = '', signature = ''] = (form?.get('assertion') ?? '').split('.');
    assert.deepEqual(decoded(header), { alg: 'RS256', typ: 'JWT' });
    assert.deepEqual(decoded(claims), {
      iss: 'a@b.example',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: server.tokenUri,
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    });
    const signed = Buffer.from(`${header}.${claims}`);
    const key = createPublicKey(publicKey);
    assert.ok(verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url')));
  });

  it('logs the response to a rejected key file, and tells the caller only that it failed', async (t) => {
    const server = await tokenServer(t);
    server.answerWith(() => rejection);
    const { exchange, rejections } = exchangeOf(server);
    const refusal = await exchange(server.keyFile(), signal());
    assert.ok(isRefusal(refusal));
    assert.deepEqual([refusal.refused, refusal.param], ['upstream', 'upstream_api_key']);
    assert.doesNotMatch(refusal.message, /PRIVATE|a@b|invalid_grant/);
    assert.match(rejections[0]?.answerText ?? '', /invalid_grant.*Invalid JWT/);
    assert.equal(rejections[0]?.status, 400);
  });

  it('keeps words as long as a key or an assertion out of the log', async (t) => {
    const server = await tokenServer(t);
    server.answerWith(() => ({
      status: 400,
      body: { echoed: privateKey, assertion: server.forms[0]?.get('assertion') },
    }));
    const { exchange, rejections } = exchangeOf(server);
    await exchange(server.keyFile(), signal());
    const said = rejections[0]?.answerText ?? '';
    assert.match(said, /echoed/);
    assert.doesNotMatch(said, /[\w+/=-]{40}/);
    assert.ok(said.length <= 300);
  });

  it('refuses responses without a sendable token or an expiry', async (t) => {
    const server = await tokenServer(t);
    const { exchange } = exchangeOf(server);
    for (const body of [
      {},
      'text',
      { access_token: 'two words', expires_in: 60 },
      { access_token: 'token', expires_in: -1 },
      { access_token: 'token' },
      { access_token: 'x'.repeat(70_000), expires_in: 60 },
    ]) {
      server.answerWith(() => ({ status: 200, body }));
      assert.ok(isRefusal(await exchange(server.keyFile(), signal())), JSON.stringify(body));
    }
  });

  it('calls only this machine without TLS, if the operator allowed it', async (t) => {
    const server = await tokenServer(t);
    const unnamed = createEgress({ allow: [], deny: [] });
    t.after(() => unnamed.dispatcher.destroy());
    const { exchange } = exchangeOf({ egress: unnamed });
    const refusal = await exchange(server.keyFile(), signal());
    assert.ok(isRefusal(refusal));
    assert.match(refusal.message, /--egress-allow/);
    assert.deepEqual(server.forms, []);
  });

  it('refuses an address that must not be dialled', async (t) => {
    const { egress } = await tokenServer(t);
    const { exchange } = exchangeOf({ egress });
    const file = { client_email: 'a@b.example', private_key: privateKey };
    const token_uri = 'https://169.254.169.254/token';
    assert.ok(isRefusal(await exchange(JSON.stringify({ ...file, token_uri }), signal())));
  });
});

it('requires a name, an RSA key and a valid token URI in a key file', () => {
  const file = { client_email: 'a@b.example', private_key: privateKey };
  const elliptic = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  assert.equal(
    readKeyFile(JSON.stringify(file))?.tokenUri.href,
    'https://oauth2.googleapis.com/token',
  );
  for (const change of [
    { client_email: '' },
    { client_email: undefined },
    { private_key: 'not a key' },
    { private_key: publicKey },
    { private_key: elliptic.privateKey },
    { token_uri: 'http://token.example/' },
    { token_uri: 'http://10.0.0.1/' },
    { token_uri: 'https://user:word@token.example/' },
    { token_uri: 'file:///token' },
    { token_uri: 'no address' },
  ]) {
    assert.equal(readKeyFile(JSON.stringify({ ...file, ...change })), null, JSON.stringify(change));
  }
});

const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
