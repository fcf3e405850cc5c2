// The bound on the connections of one address, at both listeners, on real sockets.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { testAdmin } from '../../harness/admin/admin.ts';
import { startTestGateway } from '../../harness/gateway/gateway.ts';
import { until } from '../../harness/wait.ts';

/** Sends nothing; `isClosed` once the server has closed it. */
async function openSilent(t: TestContext, url: string, localAddress: string) {
  const port = Number(new URL(url).port);
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  t.after(() => socket.destroy());
  const seen = { isClosed: false };
  socket.on('error', () => {}).on('close', () => (seen.isClosed = true));
  socket.resume();
  await once(socket, 'connect');
  return { socket, seen };
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  const [bytes] = await once(socket, 'data');
  return String(bytes);
}

async function holdsTheBound(t: TestContext, url: string, metrics: () => Promise<string>) {
  const first = await openSilent(t, url, '127.0.0.2');
  assert.match(await ask(first.socket), /^HTTP\/1\.1 200 /);
  const second = await openSilent(t, url, '127.0.0.2');
  const third = await openSilent(t, url, '127.0.0.2');
  await until(() => third.seen.isClosed, { what: 'the third connection to be closed' });
  assert.match(await ask(first.socket), /^HTTP\/1\.1 200 /);
  const elsewhere = await openSilent(t, url, '127.0.0.3');
  assert.match(await ask(elsewhere.socket), /^HTTP\/1\.1 200 /);
  assert.match(await metrics(), /^gw_connections_refused_total\{reason="address"\} 1$/m);

  second.socket.destroy();
  await until(
    async () => {
      const next = await openSilent(t, url, '127.0.0.2');
      const text = await Promise.race([
        ask(next.socket).catch(() => ''),
        once(next.socket, 'close').then(() => ''),
      ]);
      return text.startsWith('HTTP/1.1 200 ');
    },
    { what: 'the place of a closed connection to be free again' },
  );
}

for (const parsesAll of [false, true]) {
  const reader = parsesAll ? "Node's parser" : 'its own reader';
  it(`a gateway with ${reader} closes new connections of one address only`, async (t) => {
    const limits = { connectionsPerAddress: 2 };
    await using gateway = await startTestGateway(null, { limits, parsesAll });
    await holdsTheBound(t, gateway.url, () => gateway.metrics());
  });
}

it('the admin listener closes new connections of one address, and no others', async (t) => {
  const { url } = await testAdmin(t, { connectionsPerAddress: 2 });
  await holdsTheBound(t, url, async () => (await fetch(`${url}/metrics`)).text());
});

it('one address never has more than half of the connections of a listener', async (t) => {
  const limits = { connectionsMax: 4, connectionsPerAddress: 100 };
  await using gateway = await startTestGateway(null, { limits });
  await holdsTheBound(t, gateway.url, () => gateway.metrics());
});

it('a bound of 0 lets one address have all connections', async (t) => {
  const limits = { connectionsMax: 3, connectionsPerAddress: 0 };
  await using gateway = await startTestGateway(null, { limits });
  for (let count = 0; count < 3; count++) {
    const { socket } = await openSilent(t, gateway.url, '127.0.0.2');
    assert.match(await ask(socket), /^HTTP\/1\.1 200 /);
  }
  const fourth = await openSilent(t, gateway.url, '127.0.0.3');
  await until(() => fourth.seen.isClosed, { what: 'the fourth connection to be closed' });
});
