// A service account's key file, and the access token that it is exchanged for (Gateway rule 15). The key file never leaves the
// control plane; the token lives an hour and is kept until five minutes before its end.

import { createPrivateKey, hash, sign } from 'node:crypto';

import type { Dispatcher } from 'undici';
import { request } from 'undici';
import { z } from 'zod';

import type { Clock } from '../lib/clock.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { readBounded } from './bounded-body.ts';

const keyFile = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});
type KeyFile = z.output<typeof keyFile>;

/** Null when the text is not a key file whose key can be read. */
export function readKeyFile(text: string): KeyFile | null {
  try {
    const file = keyFile.parse(JSON.parse(text));
    createPrivateKey(file.private_key);
    return file;
  } catch {
    return null;
  }
}

/** The access token for a key file; the refusal's code is `upstream`. */
export type AccessToken = (keyFileText: string, signal: AbortSignal) => Promise<string | Refusal>;

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const assertionSeconds = 3600;
const renewBeforeMs = 5 * 60 * 1000;
const tokensMax = 1_000;
const answerBytesMax = 64 * 1024;

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
});

type Token = Readonly<{ token: string; renewAtMs: number }>;
type Dependencies = Readonly<{ dispatcher: Dispatcher; clock: Clock }>;

export function createAccessToken({ dispatcher, clock }: Dependencies): AccessToken {
  const tokens = new Map<string, Token>();
  return async (text, signal) => {
    const key = hash('sha256', text);
    const held = tokens.get(key);
    if (held !== undefined && clock() < held.renewAtMs) return held.token;
    const file = readKeyFile(text);
    if (file === null) return failed('the credential is not a service account key file');
    const fresh = await exchange(file, { dispatcher, nowMs: clock(), signal });
    if (isRefusal(fresh)) return fresh;
    if (tokens.size >= tokensMax) tokens.clear();
    tokens.set(key, fresh);
    return fresh.token;
  };
}

type Exchange = Readonly<{ dispatcher: Dispatcher; nowMs: number; signal: AbortSignal }>;

async function exchange(
  file: KeyFile,
  { dispatcher, nowMs, signal }: Exchange,
): Promise<Token | Refusal> {
  const { host } = new URL(file.token_uri);
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(file, nowMs),
  });
  try {
    const { statusCode, body } = await request(file.token_uri, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal,
    });
    const answer = await readBounded(body, answerBytesMax);
    if (statusCode !== 200 || answer === null) {
      return failed(`${host} gave no access token (status ${statusCode})`);
    }
    const { access_token: token, expires_in: seconds } = tokenAnswer.parse(JSON.parse(answer));
    return { token, renewAtMs: nowMs + seconds * 1000 - renewBeforeMs };
  } catch {
    return failed(`${host} gave no access token`);
  }
}

const failed = (message: string): Refusal =>
  refuse('upstream', message, { param: 'upstream_api_key' });

/** A JWT in which the service account says who it is, signed with its own key. */
function assertion(file: KeyFile, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / 1000);
  const claims = {
    iss: file.client_email,
    scope,
    aud: file.token_uri,
    iat: issuedAt,
    exp: issuedAt + assertionSeconds,
  };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('RSA-SHA256', Buffer.from(signed), file.private_key);
  return `${signed}.${signature.toString('base64url')}`;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
