// Tests `gw healthcheck`, which queries the listeners of the role and exits accordingly, and `gw
// operator` outside a cluster.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { readinessUrls } from '../../src/cli/health-check.ts';
import { gw, gwProcess } from '../harness/program/command-line.ts';

async function listener(test: TestContext, status: number) {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/readyz' ? status : 404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => server.close());
  return String(z.object({ port: z.int() }).parse(server.address()).port);
}

it('exits with 0 when every listener of the role is ready, else with 1', async (t) => {
  const [ready, leaving] = [await listener(t, 200), await listener(t, 503)];
  const both = { GW_ROLE: 'all', GW_HOST: '0.0.0.0', GW_PORT: ready, GW_ADMIN_PORT: ready };
  const good = await gw(['healthcheck'], { env: both });
  assert.equal(good.code, 0, good.stderr);
  const url = `http://127.0.0.1:${ready}/readyz 200\n`;
  assert.equal(good.stdout, url + url);
  const bad = await gw(['healthcheck', '--admin-port', leaving], { env: both });
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /503/);
});

it('queries loopback for listeners on all addresses, and the admin listener by its protocol', () => {
  const settings = { role: 'control', host: '::', port: 4000, adminPort: 4001 } as const;
  assert.deepEqual(readinessUrls({ ...settings, tlsCert: 'cert.pem' }), [
    'https://[::1]:4001/readyz',
  ]);
  const proxy = { ...settings, role: 'proxy', host: '10.0.0.5', tlsCert: null } as const;
  assert.deepEqual(readinessUrls(proxy), ['http://10.0.0.5:4000/readyz']);
});

it('names what an operator outside a cluster lacks', async () => {
  const { code, stderr } = await gwProcess(['operator']);
  assert.equal(code, 2);
  assert.match(stderr, /KUBERNETES_SERVICE_HOST and _PORT are not set/);
});
