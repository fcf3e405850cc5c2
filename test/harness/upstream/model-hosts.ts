// Serves the model lists of many hosts on one socket, each at its own path. A test decides which
// hosts respond.

import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

/**
 * The current state, which tests change. A request that arrives while `held` is pending gets the
 * state at its arrival, once `held` resolves.
 */
export type ModelHost = { isUp: boolean; models: readonly string[]; held?: Promise<void> };

export type ModelHosts = Readonly<{
  all: readonly ModelHost[];
  /** The API base of the host with this index. */
  apiBase: (index: number) => string;
  /** The number of model list requests. */
  asked: () => number;
}>;

export async function startModelHosts(
  test: Pick<TestContext, 'after'>,
  count: number,
): Promise<ModelHosts> {
  const all = Array.from({ length: count }, (): ModelHost => ({ isUp: true, models: [] }));
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const host = all[Number(/^\/(\d+)\/v1\/models$/.exec(request.url ?? '')?.[1])];
    const data = host?.isUp === true ? host.models.map((id) => ({ id })) : null;
    void Promise.resolve(host?.held).then(() =>
      data === null
        ? response.writeHead(503).end()
        : response.end(JSON.stringify({ object: 'list', data })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  return { all, apiBase: (index) => `http://127.0.0.1:${port}/${index}/v1`, asked: () => asked };
}
