// Exchanges a service account's key file for an access token (Gateway rule 15), by a JWT signed
// with the file's key: RFC 7523 and
// https://developers.google.com/identity/protocols/oauth2/service-account. The key file never
// leaves the control plane.

import { createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import ipaddr from 'ipaddr.js';
import { request } from 'undici';
import { z } from 'zod';

import type { Clock } from '../../lib/clock.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { readBounded } from '../../lib/bounded-body.ts';
import type { Egress } from '../../egress/egress.ts';

const keyFile = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

type KeyFile = Readonly<{ email: string; key: KeyObject; tokenUri: URL }>;

/**
 * Null if the text is not a key file. Its key must be RSA, and its token URI must use TLS or a
 * loopback address.
 */
export function readKeyFile(text: string): KeyFile | null {
  try {
    const file = keyFile.parse(JSON.parse(text));
    const key = createPrivateKey(file.private_key);
    const tokenUri = new URL(file.token_uri);
    if (key.asymmetricKeyType !== 'rsa' || !isFitTokenUri(tokenUri)) return null;
    return { email: file.client_email, key, tokenUri };
  } catch {
    return null;
  }
}

const isFitTokenUri = (url: URL): boolean =>
  url.username === '' &&
  url.password === '' &&
  (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url))));

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

const isLoopback = (host: string): boolean =>
  ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';

/** Times are epoch milliseconds. */
export type Minted = Readonly<{ token: string; mintedAtMs: number; expiresAtMs: number }>;

/**
 * The code of a refusal is `upstream`. Its text contains nothing of the key file or the response.
 */
export type Exchange = (keyFileText: string, signal: AbortSignal) => Promise<Minted | Refusal>;

type Dependencies = Readonly<{
  egress: Egress;
  clock: Clock;
  /** Called with the response to a rejected key file, for the log only. */
  onRejected: (rejection: Rejection) => void;
}>;

export type Rejection = Readonly<{ host: string; status: number; answerText: string }>;

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const assertionSeconds = 3600;
const answerBytesMax = 64 * 1024;
/** Longer lifetimes are unknown in practice and are reduced to this one. */
const lifetimeSecondsMax = 24 * 3600;

const tokenAnswer = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z
    .number()
    .positive()
    .transform((seconds) => Math.min(seconds, lifetimeSecondsMax)),
});

export function createExchange({ egress, clock, onRejected }: Dependencies): Exchange {
  return async (text, signal) => {
    const file = readKeyFile(text);
    if (file === null) return failed('the credential is not a service account key file');
    const { host } = file.tokenUri;
    if (!mayBeAsked(file.tokenUri, egress)) {
      return failed(`${host} is not called without TLS unless --egress-allow names it`);
    }
    const nowMs = clock();
    try {
      const { statusCode, body } = await request(file.tokenUri, {
        method: 'POST',
        dispatcher: egress.dispatcher,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: formOf(file, nowMs),
        signal,
      });
      const answer = await readBounded(body, answerBytesMax);
      if (statusCode !== 200 || answer === null) {
        onRejected({ host, status: statusCode, answerText: responseText(answer ?? '') });
        return failed(`${host} returned no access token (status ${statusCode})`);
      }
      const { access_token: token, expires_in: seconds } = tokenAnswer.parse(JSON.parse(answer));
      return { token, mintedAtMs: nowMs, expiresAtMs: nowMs + seconds * 1000 };
    } catch {
      return failed(`${host} returned no access token`);
    }
  };
}

const failed = (message: string): Refusal =>
  refuse('upstream', message, { param: 'upstream_api_key' });

/** Without TLS, only to this machine, and only if the operator allowed the address. */
const mayBeAsked = (url: URL, { isNamed }: Egress): boolean =>
  url.protocol === 'https:' || isNamed(hostOf(url), hostOf(url));

function formOf(file: KeyFile, nowMs: number): string {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(file, nowMs),
  });
  return form.toString();
}

function assertion({ email, key, tokenUri }: KeyFile, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000);
  const claims = {
    iss: email,
    scope,
    aud: tokenUri.href,
    iat: issuedAt,
    exp: issuedAt + assertionSeconds,
  };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('RSA-SHA256', Buffer.from(signed), key);
  return `${signed}.${signature.toString('base64url')}`;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

const answerTextMax = 300;

/** One line for the log. Removes words as long as a key, a token or an assertion. */
function responseText(answer: string): string {
  const line = answer.replaceAll(/[\p{Cc}\s]+/gu, ' ').replaceAll(/[\w.+/=~-]{40,}/g, '…');
  return line.trim().slice(0, answerTextMax);
}
