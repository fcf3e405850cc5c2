// Runs an OpenID provider on node:http with real signatures: discovery, keys, authorization with
// PKCE, tokens. Everyone signs in as the person that the test names. Tests can make it misbehave.

import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

import type { SignOnOptions } from '../sign-on.ts';

export const clientId = 'gw-tests';
export const clientSecret = 'a secret of the tests: ü+/=';

type Json = Readonly<Record<string, unknown>>;
/** HS256 uses the public key as the secret, to test for algorithm confusion. */
type Algorithm = 'RS256' | 'ES256' | 'HS256' | 'none';
type Key = Readonly<{ kid: string; privateKey: KeyObject; publicKey: KeyObject }>;

/** Deviations from a correct provider. */
type Wrong = {
  /** Overrides claims of the ID token. */
  claims?: Json;
  algorithm?: Algorithm;
  /** Signs with a key that is not published. */
  strangeKey?: boolean;
  /** Overrides fields of the discovery document. */
  metadata?: Json;
  /** Overrides responses by path: none, one that stalls after its first bytes, or these bytes. */
  path?: Readonly<Record<string, 'hang' | 'stall' | Buffer>>;
  /** Client authentication: in the form, or none; by default in the Authorization header. */
  client?: 'in form' | 'public';
  /** Redirects the browser back with this error. */
  error?: string;
};

export type OpenIdProvider = Readonly<{
  issuer: string;
  /** Signs in next. Claims are added to the standard ones. */
  person: { sub: string } & Record<string, unknown>;
  wrong: Wrong;
  /** Received by the token endpoint. */
  forms: readonly URLSearchParams[];
  close: () => void;
}>;

const pair = (type: 'rsa' | 'ec'): Key => ({
  kid: randomUUID(),
  ...(type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' })),
});
const keys = { RS256: pair('rsa'), ES256: pair('ec') };
const strange = { RS256: pair('rsa'), ES256: pair('ec') };

type Code = Readonly<{ nonce: string; challenge: string; redirectUri: string; claims: Json }>;

export async function openIdProvider(test: Pick<TestContext, 'after'>): Promise<OpenIdProvider> {
  const codes = new Map<string, Code>();
  const forms: URLSearchParams[] = [];
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  test.after(close);
  const provider: OpenIdProvider = {
    issuer: `http://127.0.0.1:${address.port}`,
    person: { sub: 'ada-1', email: 'ada@example.com', email_verified: true },
    wrong: {},
    forms,
    close,
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', provider.issuer);
    const wrong = provider.wrong.path?.[url.pathname];
    if (wrong === 'hang') return;
    if (wrong === 'stall')
      return void response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    if (wrong !== undefined)
      return void response.setHeader('content-type', 'application/json').end(wrong);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json(response, 200, { ...metadataOf(provider.issuer), ...provider.wrong.metadata });
      case '/jwks':
        return json(response, 200, { keys: Object.entries(keys).map(shownKey) });
      case '/authorize':
        return authorize(url.searchParams, response);
      case '/token':
        return token(await formOf(request), request, response);
      default:
        return json(response, 404, {});
    }
  };

  const authorize = (asked: URLSearchParams, response: ServerResponse): void => {
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('session_state', 'a parameter of its own');
    if (provider.wrong.error !== undefined) {
      back.searchParams.set('error', provider.wrong.error);
      back.searchParams.set('error_description', 'words of <b>the provider</b>');
    } else {
      const code = randomUUID();
      codes.set(code, {
        nonce: asked.get('nonce') ?? '',
        challenge: asked.get('code_challenge') ?? '',
        redirectUri: asked.get('redirect_uri') ?? '',
        claims: { ...provider.person },
      });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const token = (
    form: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    forms.push(form);
    if (!isClient({ request, form, how: provider.wrong.client }))
      return json(response, 401, { error: 'invalid_client' });
    const known = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      known !== undefined &&
      known.challenge === challenge &&
      known.redirectUri === form.get('redirect_uri');
    if (!isGood) return json(response, 400, { error: 'invalid_grant' });
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: provider.issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: known.nonce,
      ...known.claims,
      ...provider.wrong.claims,
    };
    json(response, 200, {
      access_token: 'an access token',
      token_type: 'Bearer',
      id_token: signed(claims, provider.wrong),
    });
  };
  return provider;
}

type Given = Partial<
  Pick<SignOnOptions, 'publicUrl' | 'hidesPassword' | 'firstLogin' | 'matchClaim' | 'groupRoles'> &
    Pick<SignOnOptions, 'clientSecret' | 'scopes' | 'label' | 'groupsClaim'>
>;

/** The settings of the program for this provider. */
export function signOnAt({ issuer }: OpenIdProvider, given: Given = {}) {
  const { groupRoles = {}, clientSecret: secret = clientSecret } = given;
  return {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: secret,
    oidcPublicUrl: given.publicUrl ?? null,
    oidcScopes: given.scopes ?? 'openid email',
    oidcLabel: given.label ?? 'Acme',
    oidcHidePassword: given.hidesPassword ?? false,
    oidcFirstLogin: given.firstLogin ?? 'create',
    oidcMatchClaim: given.matchClaim ?? 'email',
    oidcGroupsClaim: given.groupsClaim ?? 'groups',
    oidcGroupRoles: JSON.stringify(groupRoles),
  };
}

const metadataOf = (issuer: string): Json => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  code_challenge_methods_supported: ['S256'],
});

const shownKey = ([alg, { kid, publicKey }]: [string, Key]): Json => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
});

function signed(claims: Json, { algorithm = 'RS256', strangeKey = false }: Wrong): string {
  const part = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  if (algorithm === 'none') return `${part({ alg: 'none' })}.${part(claims)}.`;
  if (algorithm === 'HS256') {
    const { kid, publicKey } = keys.RS256;
    const secret = publicKey.export({ type: 'spki', format: 'pem' });
    const text = `${part({ alg: algorithm, kid })}.${part(claims)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  }
  const { kid } = keys[algorithm];
  const { privateKey } = (strangeKey ? strange : keys)[algorithm];
  const text = `${part({ alg: algorithm, kid })}.${part(claims)}`;
  const options = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`;
}

type TokenRequest = Readonly<{
  request: IncomingMessage;
  form: URLSearchParams;
  how: Wrong['client'];
}>;

/**
 * In the header, the id and secret are form-encoded (RFC 6749, section 2.3.1). An unexpected secret
 * is rejected.
 */
function isClient({ request: { headers }, form, how }: TokenRequest): boolean {
  if (how !== undefined) {
    const secret = how === 'public' ? null : clientSecret;
    const isBare = headers.authorization === undefined;
    return isBare && form.get('client_id') === clientId && form.get('client_secret') === secret;
  }
  if (form.has('client_secret')) return false;
  const [, given = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? [];
  const [id = '', secret = ''] = Buffer.from(given, 'base64').toString().split(':');
  return formText(id) === clientId && formText(secret) === clientSecret;
}

const formText = (text: string): string => new URLSearchParams(`x=${text}`).get('x') ?? '';

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

const json = (response: ServerResponse, status: number, body: Json): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
