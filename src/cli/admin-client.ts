// Talks to the admin API as a person's browser would: a login, then calls with its session cookie.

import { z } from 'zod';

export type AdminClient = Readonly<{
  get: <Schema extends z.ZodType>(path: string, answer: Schema) => Promise<z.output<Schema>>;
  send: <Schema extends z.ZodType>(call: AdminCall<Schema>) => Promise<z.output<Schema>>;
}>;

export type AdminCall<Schema extends z.ZodType> = Readonly<{
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  answer: Schema;
}>;

const callLimitMs = 30_000;

export async function loginToAdmin(
  adminUrl: string,
  login: Readonly<{ name: string; password: string }>,
): Promise<AdminClient> {
  const response = await call(`${adminUrl}/login`, { method: 'POST', body: login });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await response.body?.cancel();
  return {
    get: async (path, answer) =>
      read(await call(`${adminUrl}${path}`, { method: 'GET', cookie }), answer),
    send: async ({ method, path, body, answer }) =>
      read(await call(`${adminUrl}${path}`, { method, cookie, body }), answer),
  };
}

const read = async <Schema extends z.ZodType>(
  answered: Response,
  answer: Schema,
): Promise<z.output<Schema>> => answer.parse(await answered.json());

type Sent = Readonly<{ method: string; body?: unknown; cookie?: string }>;

async function call(url: string, { method, body, cookie }: Sent): Promise<Response> {
  const headers: Record<string, string> = {};
  if (cookie !== undefined) headers['cookie'] = cookie;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const response = await fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(callLimitMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}`, {
    cause: new Error(errorMessage(await response.text())),
  });
}

const errorAnswer = z.object({ error: z.object({ message: z.string() }) });

function errorMessage(text: string): string {
  try {
    return errorAnswer.parse(JSON.parse(text)).error.message;
  } catch {
    return text.slice(0, 200);
  }
}
