// The egress guard of a gateway: every new connection goes to an address that was judged, also when a name changes its address.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { createGuard } from '../../src/egress/egress.ts';
import type { Resolve } from '../../src/egress/egress.ts';
import { chatBody, startTestGateway } from '../harness/gateway/gateway.ts';
import type { TestGateway } from '../harness/gateway/gateway.ts';
import { startUpstream } from '../harness/upstream/upstream.ts';
import { until } from '../harness/wait.ts';

/** A server at another address with the same port, which counts who connects. */
async function startInside(test: TestContext, port: number) {
  const reached = { count: 0 };
  const server = createServer((socket) => {
    reached.count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.2', resolve));
  test.after(() => server.close());
  return reached;
}

const probesSeen = ({ logLines }: TestGateway, detail: string): number =>
  logLines.filter(({ fields }) => JSON.stringify(fields).includes(detail)).length;

describe('a gateway', () => {
  it('sends nothing to a name that moved to a refused address: no request, probe or scrape', async (t) => {
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { connection: 'close', 'content-type': 'application/json' });
      response.end('{"data":[]}');
    });
    const port = Number(new URL(upstream.apiBase).port);
    const reached = await startInside(t, port);
    let address = '127.0.0.1';
    const resolve: Resolve = (_host, _options, callback) =>
      callback(null, [{ address, family: 4 }]);
    const backends = [{ apiBase: `http://rebind.example:${port}/v1` }];
    await using gateway = await startTestGateway(
      { models: { m: { backends } }, keys: { key: {} } },
      {
        upstream: {
          idleConnectionsMax: 8,
          caBundle: [],
          guard: createGuard({ allow: [], deny: ['127.0.0.2'] }, resolve),
        },
        probes: { intervalMs: 50, timeoutMs: 1000 },
        engineMetrics: { intervalMs: 50 },
      },
    );
    assert.equal((await gateway.chat(chatBody('m'))).status, 200);
    address = '127.0.0.2';
    const refused = await gateway.chat(chatBody('m'));
    assert.equal(refused.status, 502);
    await until(() => probesSeen(gateway, 'is not an allowed egress destination') > 0, {
      what: 'a refused probe',
    });
    assert.equal(reached.count, 0);
  });

  it('never connects to a metadata address, whatever the lists allow', async () => {
    const backends = [{ apiBase: 'http://169.254.169.254/v1' }];
    await using gateway = await startTestGateway(
      { models: { m: { backends } }, keys: { key: {} } },
      {
        upstream: {
          idleConnectionsMax: 8,
          caBundle: [],
          guard: createGuard({ allow: ['0.0.0.0/0'], deny: [] }),
        },
      },
    );
    const started = performance.now();
    assert.equal((await gateway.chat(chatBody('m'))).status, 502);
    assert.ok(performance.now() - started < 5000, 'it does not wait for a connection');
  });
});
