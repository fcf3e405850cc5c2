// Talks to an OpenID provider: where to send the browser, and who came back (OpenID Connect Core
// 1.0, section 3.1, with PKCE, RFC 7636). Loads the library and contacts the provider at the first
// sign-in, so an unavailable provider affects nothing else.

import type {
  ClientAuth,
  Configuration,
  CustomFetch,
  IDToken,
  ServerMetadata,
} from 'openid-client';
import type * as library from 'openid-client';
import { fetch } from 'undici';
import type { Dispatcher } from 'undici';

import { readBounded } from '../../src/lib/bounded-body.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { createSlots } from '../../src/control/slots.ts';
import { isFailure, failure } from './failure.ts';
import type { Failure } from './failure.ts';
import { failureOf } from './failure-of.ts';

export type IssuerOptions = Readonly<{
  /** Must equal `iss` of ID tokens. */
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  scopes: string;
}>;

/** Only the browser that started the sign-in has these. */
export type Secrets = Readonly<{ state: string; nonce: string; verifier: string }>;

export type Issuer = Readonly<{
  /** `url` is where to redirect the browser. */
  begin: (redirectUri: string) => Promise<Readonly<{ url: URL; secrets: Secrets }> | Failure>;
  /** `callback` is the URL that the browser came back to. */
  finish: (callback: URL, secrets: Secrets) => Promise<Readonly<{ claims: IDToken }> | Failure>;
}>;

type Dependencies = Readonly<{ dispatcher: Dispatcher; monotonic: () => number }>;

const requestSeconds = 5;
const answerBytesMax = 512 * 1024;
const discoveredMs = 60 * 60 * 1000;
/** Between the two hosts. */
const clockToleranceSeconds = 30;
const parallelMax = 8;
const waitingMax = 64;

type Library = typeof library;
type Discovered = Readonly<{ library: Library; configuration: Configuration; atMs: number }>;

export function createIssuer(
  options: IssuerOptions,
  { dispatcher, monotonic }: Dependencies,
): Issuer {
  const slots = createSlots({ parallelMax, waitingMax, what: 'sign-ins' });
  let known: Discovered | null = null;
  let asking: Promise<Discovered> | null = null;

  const discover = async (): Promise<Discovered> => {
    const library = await import('openid-client');
    const configuration = await ask(library, options, dispatcher);
    return (known = { library, configuration, atMs: monotonic() });
  };

  /** Shared by concurrent callers. Known metadata is used until newer metadata arrives. */
  const discovered = async (): Promise<Discovered> => {
    if (known !== null && monotonic() - known.atMs < discoveredMs) return known;
    asking ??= discover().finally(() => (asking = null));
    const old = known;
    return old === null ? asking : asking.catch(() => old);
  };

  const inTurn = async <Value extends object>(
    work: (to: Discovered) => Promise<Value>,
  ): Promise<Value | Failure> => {
    const done = await slots.run(async () => {
      const to = await discovered().catch(discoveryFailure);
      return isFailure(to) ? to : work(to).catch(failureOf);
    });
    return isRefusal(done) ? failure('busy', done.message) : done;
  };

  return {
    begin: (redirectUri) =>
      inTurn(async ({ library, configuration }) => {
        const secrets = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          verifier: library.randomPKCECodeVerifier(),
        };
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          response_type: 'code',
          scope: options.scopes,
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: 'S256',
        });
        return { url, secrets };
      }),
    finish: (callback, { state, nonce, verifier }) =>
      inTurn(async ({ library, configuration }) => {
        const answer = await library.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = answer.claims();
        return claims === undefined ? failure('token', 'no ID token') : { claims };
      }),
  };
}

/** No token has been received yet. */
function discoveryFailure(error: unknown): Failure {
  const { failure: what, why } = failureOf(error);
  return failure(what === 'away' ? 'away' : 'broken', why);
}

async function ask(
  library: Library,
  { issuer, clientId, clientSecret }: IssuerOptions,
  dispatcher: Dispatcher,
): Promise<Configuration> {
  const server = new URL(issuer);
  const isPlain = server.protocol === 'http:';
  const configuration = await library.discovery(
    server,
    clientId,
    { [library.clockTolerance]: clockToleranceSeconds },
    clientSecret === null ? library.None() : secretAuth(library, clientSecret),
    {
      [library.customFetch]: boundedFetch(dispatcher),
      timeout: requestSeconds,
      // TLS already authenticates the token. Its signature is verified in addition.
      execute: [
        library.enableNonRepudiationChecks,
        // oxlint-disable-next-line typescript/no-deprecated -- the library marks it so that it stands out; it is for this machine alone.
        ...(isPlain ? [library.allowInsecureRequests] : []),
      ],
    },
  );
  refuseUnfit(configuration.serverMetadata(), server);
  return configuration;
}

/** Before the metadata is cached: it must suffice for a sign-in. */
function refuseUnfit(metadata: ServerMetadata, server: URL): void {
  // The library accepts multi-tenant issuers, whose tokens any tenant can issue.
  if (new URL(metadata.issuer).href !== server.href) {
    throw new TypeError('the issuer in the metadata differs from --oidc-issuer');
  }
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = metadata[name];
    if (address === undefined || !URL.canParse(address)) throw new TypeError(`no ${name}`);
  }
}

/**
 * Client credentials go into the form if the issuer supports that, otherwise into the header, which
 * every issuer must support (RFC 6749, section 2.3.1).
 */
function secretAuth(library: Library, secret: string): ClientAuth {
  const inForm = library.ClientSecretPost(secret);
  const inHeader = library.ClientSecretBasic(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    return (methods?.includes('client_secret_post') === true ? inForm : inHeader)(server, ...rest);
  };
}

/** Applies the program's egress rules, and limits the size of responses. */
const boundedFetch =
  (dispatcher: Dispatcher): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      dispatcher,
      ...(signal === undefined ? {} : { signal }),
      // The library only sends forms.
      ...(body instanceof URLSearchParams ? { body: body.toString() } : {}),
    });
    const text = response.body === null ? '' : await readBounded(response.body, answerBytesMax);
    if (text === null) throw new RangeError('the answer is too long');
    return new Response(text === '' ? null : text, {
      status: response.status,
      headers: [...response.headers],
    });
  };
