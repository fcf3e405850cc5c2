// Starts an upstream that returns a model list to requests with its key.

import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

export type ListedProvider = Readonly<{
  apiBase: string;
  /** The credentials received, one per request. */
  seen: readonly (string | undefined)[];
}>;

type Options = Readonly<{ key?: string; models?: readonly string[] }>;

export async function listedProvider(
  test: Pick<TestContext, 'after'>,
  { key, models = ['small', 'large'] }: Options = {},
): Promise<ListedProvider> {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    const known = key === undefined || request.headers.authorization === `Bearer ${key}`;
    if (request.url !== '/v1/models') response.writeHead(404).end('{}');
    else if (!known) response.writeHead(401).end('{"error":"not repeated"}');
    else response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id })) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { apiBase: `http://127.0.0.1:${address.port}/v1`, seen };
}
