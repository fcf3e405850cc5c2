// Tests an unavailable database, before the start and during operation: mutations fail in time and
// say when to retry, proxies keep getting their snapshot, and the control plane recovers by itself.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';

import { z } from 'zod';

import {
  encryptionKey,
  login,
  prepareControl,
  proxyToken,
  startControlProgram,
} from '../harness/program/control-program.ts';
import { ownPostgres } from '../harness/postgres/own-postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { until } from '../harness/wait.ts';

const answerLimitMs = 3000;

describe('a control plane whose database goes away', () => {
  it('refuses mutations within 3 s with Retry-After, serves its snapshot, and recovers', async (test) => {
    const postgres = await ownPostgres(test);
    await prepareControl(postgres.url);
    const { adminUrl, cookie, logged } = await startControlProgram(test, postgres.url);
    const createModel = (name: string): Promise<Response> =>
      fetch(`${adminUrl}/admin/provider-models`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      });
    assert.equal((await createModel('before')).status, 200);

    await postgres.stop();
    const askedAt = performance.now();
    const refused = await createModel('during-outage');
    assert.ok(performance.now() - askedAt < answerLimitMs);
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    const snapshot = await fetch(`${adminUrl}/snapshot`, {
      headers: { authorization: `Bearer ${proxyToken}` },
    });
    assert.equal(snapshot.status, 200);
    assert.match(await snapshot.text(), /"name":"before"/);
    assert.equal((await fetch(`${adminUrl}/healthz`)).status, 200);
    assert.equal((await fetch(`${adminUrl}/readyz`)).status, 503);
    await logged('failed: following the event log');

    await postgres.start();
    await until(async () => (await createModel(`after-${randomUUID()}`)).status === 200, {
      what: 'a mutation after the database came back',
    });
    assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200);
  });

  it('starts before its database, reports that it is not ready, and serves once the database is up', async (test) => {
    const postgres = await ownPostgres(test);
    await prepareControl(postgres.url);
    await postgres.stop();
    const program = startProgram(test, {
      args: ['--role', 'control', '--admin-port', '0'],
      env: { GW_DATABASE_URL: postgres.url, GW_ENCRYPTION_KEY: encryptionKey },
    });
    const waiting = await program.logged('the database is unavailable; retrying');
    const { admin } = z.object({ admin: z.string() }).parse(waiting);
    const answer = await fetch(`${admin}/admin/principals`);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '2');
    assert.equal((await fetch(`${admin}/healthz`)).status, 200);

    await postgres.start();
    await program.logged('control plane started');
    const session = await fetch(`${admin}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(login),
    });
    assert.equal(session.status, 200);
  });
});
