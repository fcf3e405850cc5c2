// Tests the command `gw agent`: exit codes, signals, and which certificates it trusts.

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

it('--once registers the endpoints found and exits with 0, even if there are none', async (t) => {
  const control = await startRegistrationServer(t);
  const engine = await startEngine(t);
  const found = await once(control.url, '--scan-ports', String(engine.port));
  assert.equal(found.code, 0, found.stderr);
  assert.deepEqual(
    control.seen.map(({ name }) => name),
    [`box-m-${engine.port}`],
  );
  await engine.stop();
  const nothing = await once(control.url, '--scan-ports', String(engine.port));
  assert.equal(nothing.code, 0, nothing.stderr);
  assert.equal(control.seen.length, 1);
});

it('--once accepts several explicit endpoints', async (t) => {
  const control = await startRegistrationServer(t);
  const [one, other] = [await startEngine(t), await startEngine(t)];
  const args = ['agent', '--once', '--api-base', one.apiBase, '--api-base', other.apiBase];
  const { code, stderr } = await gwProcess([...args, '--control-url', control.url], { env });
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    control.seen.map(({ api_base }) => api_base).toSorted(),
    [one.apiBase, other.apiBase].toSorted(),
  );
});

it('--once exits with 4 if a registration is refused, and with 3 if the control plane does not answer', async (t) => {
  const control = await startRegistrationServer(t);
  const engine = await startEngine(t);
  const scan = ['--scan-ports', String(engine.port)];
  control.answerWith({ status: 401, text: '{"error":{"message":"unknown API key"}}' });
  const refused = await once(control.url, ...scan);
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /a registration was refused .*reason="unknown API key"/);
  await control.stop();
  const away = await once(control.url, ...scan);
  assert.equal(away.code, 3);
  assert.match(away.stderr, /the control plane does not answer/);
  assert.doesNotMatch(refused.stderr + away.stderr, /gw-key/);
});

const file = (name: string): string => path.join(import.meta.dirname, '../fixtures/tls', name);

/** Starts a control plane with a self-signed certificate. It accepts every registration. */
async function securedControlPlane(test: TestContext) {
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

it('verifies the certificate of the control plane, with and without --ca-cert', async (t) => {
  const control = await securedControlPlane(t);
  const engine = await startEngine(t);
  const scan = ['--scan-ports', String(engine.port)];
  const unknown = await once(control.url, ...scan);
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /self-signed certificate/);
  assert.equal(control.asked(), 0);
  const known = await once(control.url, ...scan, '--ca-cert', control.certificate);
  assert.equal(known.code, 0, known.stderr);
  assert.equal(control.asked(), 1);
  const none = await once(control.url, ...scan, '--ca-cert', import.meta.filename);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /--ca-cert .*agent\.test\.ts contains no certificate/);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  it(`${signal} stops it at once with 0, even while the control plane is unreachable`, async (t) => {
    const control = await startRegistrationServer(t);
    const engine = await startEngine(t);
    const args = ['agent', '--control-url', control.url, '--advertise', '127.0.0.1'];
    const program = startProgram(t, {
      args: [...args, '--scan-ports', String(engine.port), '--ttl', '2', '--interval', '1'],
      env,
    });
    await program.logged('an endpoint is registered');
    await until(() => control.seen.length > 1, { what: 'a heartbeat' });
    await control.stop();
    await program.logged('the control plane does not answer');
    const startedAt = performance.now();
    await program.end(signal);
    assert.equal(program.child.exitCode, 0);
    assert.equal(performance.now() - startedAt < 5000, true);
  });
}
