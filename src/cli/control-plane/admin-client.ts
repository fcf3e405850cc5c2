// Calls the admin API with the session cookie of a login or with an admin token.

import { z } from 'zod';

import { statusOf } from '../../admin/http/status.ts';
import { parseNamed } from '../../lib/plain-issue.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal, RefusalCode } from '../../lib/refusal.ts';

export type AdminClient = Readonly<{
  get: <Schema extends z.ZodType>(path: string, answer: Schema) => Promise<z.output<Schema>>;
  send: <Schema extends z.ZodType>(call: AdminCall<Schema>) => Promise<z.output<Schema>>;
  /** Like `send`, but returns refusals of the admin API. */
  ask: <Schema extends z.ZodType>(call: AdminCall<Schema>) => Promise<z.output<Schema> | Refusal>;
}>;

export type AdminCall<Schema extends z.ZodType> = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  /** In addition to the headers of every call. */
  headers?: Readonly<Record<string, string>>;
  /** The time limit of a call that takes long. */
  limitMs?: number;
  /** Returned if the time limit is reached. */
  late?: Refusal;
  answer: Schema;
}>;

const callLimitMs = 30_000;

type Credential = Readonly<{ cookie: string } | { authorization: string }>;

export async function loginToAdmin(
  adminUrl: string,
  login: Readonly<{ name: string; password: string }>,
): Promise<AdminClient> {
  const response = await call(`${adminUrl}/login`, { method: 'POST', body: login });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await response.body?.cancel();
  return clientOf(adminUrl, { cookie });
}

export const adminWithToken = (adminUrl: string, token: string): AdminClient =>
  clientOf(adminUrl, { authorization: `Bearer ${token}` });

const clientOf = (adminUrl: string, credential: Credential): AdminClient => ({
  get: async (path, answer) =>
    read(await call(`${adminUrl}${path}`, { method: 'GET', credential }), answer),
  send: async ({ method, path, body, answer }) =>
    read(await call(`${adminUrl}${path}`, { method, credential, body }), answer),
  ask: async ({ method, path, body, headers, limitMs, late, answer }) => {
    const sent = { method, credential, body, headers, limitMs };
    const response = await request(`${adminUrl}${path}`, sent).catch((error: unknown) => {
      if (late !== undefined && isTimeout(error)) return late;
      throw error;
    });
    if (isRefusal(response)) return response;
    if (response.ok) return read(response, answer);
    const text = await response.text();
    return refusalIn(text) ?? fail(response, { method, text });
  },
});

const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError';

const read = async <Schema extends z.ZodType>(
  answered: Response,
  answer: Schema,
): Promise<z.output<Schema>> =>
  parseNamed(answer, await answered.json(), `answer of ${new URL(answered.url).pathname}`);

type Sent = Readonly<{
  method: string;
  body?: unknown;
  credential?: Credential;
  headers?: Readonly<Record<string, string>> | undefined;
  limitMs?: number | undefined;
}>;

async function call(url: string, sent: Sent): Promise<Response> {
  const response = await request(url, sent);
  if (response.ok) return response;
  return fail(response, { method: sent.method, text: await response.text() });
}

function fail(
  { status, url }: Response,
  { method, text }: Readonly<{ method: string; text: string }>,
): never {
  throw new Error(`${method} ${new URL(url).pathname} answered ${status}`, {
    cause: new Error(errorOf(text)?.message ?? text.slice(0, 200)),
  });
}

function request(
  url: string,
  { method, body, credential, headers: own, limitMs }: Sent,
): Promise<Response> {
  const headers: Record<string, string> = { ...own, ...credential };
  if (body !== undefined) headers['content-type'] = 'application/json';
  return fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(limitMs ?? callLimitMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const errorAnswer = z.object({
  error: z.object({ message: z.string(), code: z.string(), param: z.string().nullish() }),
});

/** Null if the text is not an error of the admin API. */
function errorOf(text: string): z.output<typeof errorAnswer>['error'] | null {
  try {
    return errorAnswer.parse(JSON.parse(text)).error;
  } catch {
    return null;
  }
}

function refusalIn(text: string): Refusal | null {
  const error = errorOf(text);
  if (error === null || !isCode(error.code)) return null;
  const { param } = error;
  return refuse(error.code, error.message, param ? { param } : {});
}

const isCode = (code: string): code is RefusalCode => Object.hasOwn(statusOf, code);
