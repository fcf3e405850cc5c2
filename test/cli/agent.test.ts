// Holds the command `gw agent` as its users run it: exit codes, signals, and whom it trusts.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { gwProcess } from '../harness/program/command-line.ts';
import { startEngine, startRegistrationServer } from '../harness/upstream/engine.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const env = { GW_AGENT_TOKEN: 'gw-key', GW_NODE: 'box' };
const once = (url: string, ...args: readonly string[]) =>
  gwProcess(['agent', '--once', '--control-url', url, '--advertise', '127.0.0.1', ...args], {
    env,
  });

it('--once registers what is found and exits with 0, also when that is nothing', async (t) => {
  const desk = await startRegistrationServer(t);
  const engine = await startEngine(t);
  const found = await once(desk.url, '--scan-ports', String(engine.port));
  assert.equal(found.code, 0, found.stderr);
  assert.deepEqual(
    desk.seen.map(({ name }) => name),
    [`box-m-${engine.port}`],
  );
  await engine.stop();
  const nothing = await once(desk.url, '--scan-ports', String(engine.port));
  assert.equal(nothing.code, 0, nothing.stderr);
  assert.equal(desk.seen.length, 1);
});

it('--once takes endpoints outright, several of them', async (t) => {
  const desk = await startRegistrationServer(t);
  const [one, other] = [await startEngine(t), await startEngine(t)];
  const args = ['agent', '--once', '--api-base', one.apiBase, '--api-base', other.apiBase];
  const { code, stderr } = await gwProcess([...args, '--control-url', desk.url], { env });
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    desk.seen.map(({ api_base }) => api_base).toSorted(),
    [one.apiBase, other.apiBase].toSorted(),
  );
});

it('--once exits with 4 when a registration is refused, and with 3 when nobody answers', async (t) => {
  const desk = await startRegistrationServer(t);
  const engine = await startEngine(t);
  const scan = ['--scan-ports', String(engine.port)];
  desk.answerWith({ status: 401, text: '{"error":{"message":"unknown API key"}}' });
  const refused = await once(desk.url, ...scan);
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /a registration was refused .*reason="unknown API key"/);
  await desk.stop();
  const away = await once(desk.url, ...scan);
  assert.equal(away.code, 3);
  assert.match(away.stderr, /the control plane does not answer/);
  assert.doesNotMatch(refused.stderr + away.stderr, /gw-key/);
});

const file = (name: string): string => path.join(import.meta.dirname, '../fixtures/tls', name);

/** A control plane with a certificate of its own authority; answers nothing that could be used. */
async function securedDesk(test: TestContext) {
  const certificate = file('cert.pem');
  const tls = { cert: readFileSync(certificate), key: readFileSync(file('key.pem')) };
  let asked = 0;
  const server = createServer(tls, (request, response) => {
    asked += 1;
    request.resume();
    response.end(JSON.stringify({ id: 1, name: 'n', leased: true }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.int() }).parse(server.address());
  return { url: `https://127.0.0.1:${port}`, certificate, asked: () => asked };
}

it('the control plane is verified, with --ca-cert and without', async (t) => {
  const desk = await securedDesk(t);
  const engine = await startEngine(t);
  const scan = ['--scan-ports', String(engine.port)];
  const unknown = await once(desk.url, ...scan);
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /self-signed certificate/);
  assert.equal(desk.asked(), 0);
  const known = await once(desk.url, ...scan, '--ca-cert', desk.certificate);
  assert.equal(known.code, 0, known.stderr);
  assert.equal(desk.asked(), 1);
  const none = await once(desk.url, ...scan, '--ca-cert', import.meta.filename);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /--ca-cert .*agent\.test\.ts contains no certificate/);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  it(`${signal} ends it at once with 0, also while the control plane is away`, async (t) => {
    const desk = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const args = ['agent', '--control-url', desk.url, '--advertise', '127.0.0.1'];
    const program = startProgram(t, {
      args: [...args, '--scan-ports', String(engine.port), '--ttl', '2', '--interval', '1'],
      env,
    });
    await program.logged('an endpoint is registered');
    await until(() => desk.seen.length > 1, { what: 'a heartbeat' });
    await desk.stop();
    await program.logged('the control plane does not answer');
    const startedAt = performance.now();
    await program.end(signal);
    assert.equal(program.child.exitCode, 0);
    assert.equal(performance.now() - startedAt < 5000, true);
  });
}
