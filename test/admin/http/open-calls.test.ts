// Tests when the signal of a call aborts.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { createOpenCalls } from '../../../src/admin/http/open-calls.ts';

/** A server whose one call waits for the test, and the client's connection. */
async function waitingCall(t: TestContext) {
  const called = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => called.resolve(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const socket = connect(address.port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
  });
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  return { socket, response: await called.promise };
}

describe('the signal of a call', () => {
  it('does not abort when the answer is complete', async (t) => {
    const calls = createOpenCalls();
    const { response } = await waitingCall(t);
    const signal = calls.signalOf(response);
    response.end('done');
    await once(response, 'close');
    calls.abort();
    assert.equal(signal.aborted, false);
  });

  it('aborts when the client leaves before the answer, also if it left earlier', async (t) => {
    const calls = createOpenCalls();
    const { socket, response } = await waitingCall(t);
    const signal = calls.signalOf(response);
    const closed = once(response, 'close');
    socket.destroy();
    await closed;
    assert.equal(signal.aborted, true);
    assert.equal(calls.signalOf(response).aborted, true);
  });

  it('aborts when the server closes, also for later calls', async (t) => {
    const calls = createOpenCalls();
    const { response } = await waitingCall(t);
    const signal = calls.signalOf(response);
    calls.abort();
    assert.equal(signal.aborted, true);
    assert.equal(calls.signalOf(response).aborted, true);
  });
});
