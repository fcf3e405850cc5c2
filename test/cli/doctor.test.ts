// Tests `gw doctor`: what it finds of each thing that a process needs, and its exit code.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { gw } from '../harness/program/command-line.ts';
import {
  encryptionKey,
  prepareControl,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { addModel } from '../harness/program/demo-model.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';

const findings = z.array(z.object({ check: z.string(), status: z.string(), message: z.string() }));

async function examine(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await gw(['doctor', '--json', ...args], { env });
  const found = findings.parse(JSON.parse(stdout));
  const of = (name: string) =>
    found
      .filter(({ check }) => check === name)
      .map(({ status, message }) => `${status} ${message}`);
  return { code, of, found };
}

const free = ['--port', '0', '--admin-port', '0'];

/** A certificate that is valid for these days from now. */
function certificate(directory: string, days: number): readonly string[] {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(directory, name));
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=gw.example'];
  execFileSync(
    'openssl',
    [...made, '-days', String(days), '-keyout', `${key}`, '-out', `${cert}`],
    {
      stdio: 'ignore',
    },
  );
  return ['--tls-cert', `${cert}`, '--tls-key', `${key}`];
}

async function takenPort(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.end('not HTTP\n'));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  t.after(() => void server.close());
  return z.object({ port: z.int() }).parse(server.address()).port;
}

describe('gw doctor', () => {
  it('finds a running control plane healthy, with its providers', async (t) => {
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const control = await startControlProgram(t, url);
    await addModel(t, control.admin);
    const gone = await startDemoProvider({ port: 0 });
    const silent = { name: 'silent', api_base: gone.apiBase };
    await control.admin.send({
      method: 'POST',
      path: '/admin/providers',
      body: silent,
      answer: z.unknown(),
    });
    await gone.close();
    const env = {
      GW_ROLE: 'control',
      GW_DATABASE_URL: url,
      GW_ENCRYPTION_KEY: encryptionKey,
      GW_PROXY_TOKEN: 'a-proxy-token-for-tests',
      GW_ADMIN_PORT: new URL(control.adminUrl).port,
    };
    const { code, of } = await examine([], env);
    assert.deepEqual(of('configuration'), ['ok complete for role control']);
    assert.deepEqual(of('listeners'), [`ok --admin-port ${env.GW_ADMIN_PORT}: gw serves it`]);
    assert.match(of('database').join('\n'), /^ok Postgres \d+/);
    assert.match(of('clock').join('\n'), /^ok the clock differs .* by \d+ ms$/);
    assert.deepEqual(of('database rights'), ['ok the login has every right']);
    assert.match(of('database schema').join('\n'), /^ok migration \d+, that of this release$/);
    assert.match(of('encryption key').join('\n'), /^ok key \w{8} opens the vault$/);
    const [demo, down] = of('providers');
    assert.match(demo ?? '', /^ok demo: http:\/\/127\.0\.0\.1:\d+ answers$/);
    assert.match(
      down ?? '',
      /^failed silent: http:\/\/127\.0\.0\.1:\d+ does not answer \(.*ECONNREFUSED/,
    );
    assert.equal(code, 1);
  });

  it('fails for a database that is away, and for a wrong encryption key', async (t) => {
    const away = await examine(['--role', 'control', ...free], {
      GW_DATABASE_URL: 'postgres://gw@127.0.0.1:1/gw',
      GW_ENCRYPTION_KEY: encryptionKey,
    });
    assert.match(away.of('database').join('\n'), /^failed .*ECONNREFUSED/);
    assert.equal(away.code, 1);

    const { url } = await testDatabase(t);
    await prepareControl(url);
    const wrong = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: '43'.repeat(32) };
    const { of } = await examine(['--role', 'control', ...free], wrong);
    assert.match(of('encryption key').join('\n'), /^failed GW_ENCRYPTION_KEY is key \w{8}, but/);
  });

  it('fails for missing settings, for a port in use and for an unwritable folder', async (t) => {
    const port = await takenPort(t);
    const args = ['--control-url', 'http://127.0.0.1:1', '--snapshot-cache', '/dev/null/a.json'];
    const { code, of } = await examine([...args, '--port', String(port)]);
    assert.match(of('configuration').join('\n'), /^failed --control-url needs --proxy-token/);
    assert.deepEqual(of('listeners'), [
      `failed --port ${port} on 127.0.0.1 cannot be bound (EADDRINUSE); choose another one`,
    ]);
    assert.match(of('disk').join('\n'), /^failed --snapshot-cache: \/dev\/null cannot be written/);
    const place = ['--snapshot-cache', `${await temporaryDirectory(t)}/new/a.json`];
    const created = await examine([...place, '--port', '0']);
    assert.match(
      created.of('disk').join('\n'),
      /^(?:ok|warning) --snapshot-cache: \d+ MiB are free/,
    );
    assert.match(of('control plane').join('\n'), /^failed .*ECONNREFUSED/);
    assert.equal(code, 1);
  });

  it('checks the token of a proxy at its control plane', async (t) => {
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const { adminUrl } = await startControlProgram(t, url);
    const proxy = ['--control-url', adminUrl, ...free];
    const accepted = await examine(proxy, { GW_PROXY_TOKEN: 'a-proxy-token-for-tests' });
    assert.deepEqual(accepted.of('control plane'), [`ok ${adminUrl} sends snapshots`]);
    const refused = await examine(proxy, { GW_PROXY_TOKEN: 'another-token-for-tests' });
    assert.match(
      refused.of('control plane').join('\n'),
      /^failed .* does not accept GW_PROXY_TOKEN/,
    );
  });

  it('warns of a certificate that expires soon', async (t) => {
    const directory = await temporaryDirectory(t);
    for (const [days, expected] of [
      [90, /^ok --tls-cert CN=gw\.example expires in (?:89|90) days$/],
      [10, /^warning --tls-cert CN=gw\.example expires in (?:9|10) days; replace it$/],
    ] as const) {
      const folder = path.join(directory, String(days));
      await mkdir(folder);
      const { of } = await examine(['--role', 'control', ...free, ...certificate(folder, days)]);
      assert.match(of('certificates').join('\n'), expected);
    }
  });

  it('prints a line for each finding', async () => {
    const { stdout, code } = await gw(['doctor', '--role', 'control', ...free]);
    assert.match(stdout, /^failed {3}configuration: role control needs a Postgres/m);
    assert.match(stdout, /^ok {7}listeners: --admin-port 0 on 127\.0\.0\.1 is free$/m);
    assert.equal(code, 1);
  });
});
