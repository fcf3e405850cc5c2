// Tests the connections of the client for the control plane.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { it } from 'node:test';

import { createControlClient } from '../../../src/gateway/control-link/client.ts';

it('asks for snapshots over one connection, and reports over others', async (t) => {
  const sockets = new Map<string, Set<Socket>>();
  const server = createServer((request, response) => {
    const method = request.method ?? '';
    sockets.set(method, (sockets.get(method) ?? new Set()).add(request.socket));
    request.resume().on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const controlUrl = `http://127.0.0.1:${address.port}`;
  const client = createControlClient({ controlUrl, proxyToken: 'token', caBundle: [] });
  t.after(async () => {
    await client.close();
    server.close();
  });
  const get = () => client.get('/snapshot', { headers: {}, signal: t.signal, waitMs: 0 });
  const post = () => client.post('/usage', {});
  await Promise.all([get(), post(), get(), post(), get(), post()]);
  await Promise.all([get(), post()]);
  const [asked, reported] = [sockets.get('GET'), sockets.get('POST')];
  assert.equal(asked?.size, 1);
  assert.ok(reported !== undefined && [...reported].every((socket) => !asked.has(socket)));
});
