// Posts a body to a webhook. Does not follow redirects and does not read the body of the answer.

import type { Dispatcher } from 'undici';
import { request } from 'undici';

/** `status` is null without an answer. `error` is null if the receiver accepted the body. */
export type Sent = Readonly<{ status: number | null; error: string | null }>;

type Post = Readonly<{
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  timeoutMs: number;
}>;

/** Never rejects. The error never contains the address, because its path is often secret. */
export async function post(
  dispatcher: Dispatcher,
  { url, headers, body, timeoutMs }: Post,
): Promise<Sent> {
  try {
    const answer = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    // A truncated body emits an error, which would end the process without a listener.
    answer.body.on('error', () => undefined).destroy();
    const { statusCode: status } = answer;
    return { status, error: status >= 200 && status < 300 ? null : `status ${status}` };
  } catch (error) {
    return { status: null, error: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
