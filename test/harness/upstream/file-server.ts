// Serves a fixed text per path and records the requests.

import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

/** Null means that it never responds. */
export type ServedText = string | Readonly<{ status: number; text: string }> | null;

export type FileServer = Readonly<{
  url: string;
  /** The requested paths, with their queries. */
  asked: readonly string[];
  /** Closes the connections of requests that are still waiting. */
  hangUp: () => void;
}>;

export async function fileServer(
  test: Pick<TestContext, 'after'>,
  texts: Readonly<Record<string, ServedText>>,
): Promise<FileServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const served = Object.hasOwn(texts, path) ? texts[path] : { status: 404, text: '' };
    if (typeof served === 'string') response.end(served);
    else if (served) response.writeHead(served.status).end(served.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    hangUp: () => server.closeAllConnections(),
  };
}
