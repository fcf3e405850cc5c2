// Tests this release together with the released program of 0.1.0: its proxies at this control
// plane, its database, and its control plane with a proxy of this release.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { z } from 'zod';

import {
  encryptionKey,
  login,
  prepareControl,
  startControlProgram,
} from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { gw } from '../harness/program/command-line.ts';
import { addModel, chatStatus, createKey } from '../harness/program/demo-model.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { installRelease } from '../harness/program/release.ts';
import { queryOnce } from '../harness/postgres/debian-postgres.ts';
import { blankDatabase, testDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const release = '0.1.0';
const limit = { timeout: 300_000 };

const totals = z.array(
  z.looseObject({ requests: z.int(), prompt_tokens: z.int(), cost_micros: z.int().nullable() }),
);

/** Waits until the control plane has counted these requests. */
const counted = ({ admin }: ControlProgram, requests: number) =>
  until(
    async () => {
      const [total] = totals.parse(await admin.get('/admin/usage', totals));
      return total !== undefined && total.requests >= requests ? total : null;
    },
    { what: `${requests} requests in the usage` },
  );

const served = (url: string, key: string) =>
  until(async () => (await chatStatus(url, key)) === 200, { what: 'a chat is served' });

/** A digest of every byte of the events up to a position, and the position and hash of the last one. */
const eventsOf = async (url: string, position: number) => {
  const [found] = await queryOnce(
    url,
    `select md5(string_agg(md5(events::text), '' order by position)) as bytes,
       max(position)::text as head,
       (array_agg(encode(hash, 'hex') order by position desc))[1] as hash
     from es.events where position <= ${position}`,
  );
  return found;
};

const price = { input_price_per_mtok: 3_000_000, output_price_per_mtok: 15_000_000 };

const card = { price_card: { cache_read: 300_000 } };

const patchModel = ({ admin }: ControlProgram, body: object) =>
  admin.send({ method: 'PATCH', path: '/admin/provider-models/1', body, answer: z.unknown() });

test(
  'a proxy of the earlier release serves and reports to this control plane',
  limit,
  async (t) => {
    const file = installRelease(release);
    const { url } = await testDatabase(t);
    await prepareControl(url);
    const control = await startControlProgram(t, url);
    await addModel(t, control.admin);
    await patchModel(control, { ...price, ...card });
    const proxy = await startProxyProgram(t, { controlUrl: control.adminUrl, file });
    const { id, key } = await createKey(control.admin);
    await served(proxy.url, key);
    const total = await counted(control, 1);
    assert.ok(total.prompt_tokens > 0);
    assert.ok((total.cost_micros ?? 0) > 0);
    await control.admin.send({ method: 'DELETE', path: `/admin/keys/${id}`, answer: z.unknown() });
    await until(async () => (await chatStatus(proxy.url, key)) === 401, {
      what: 'the key is revoked',
    });
  },
);

test('this release takes over a database of the earlier one', limit, async (t) => {
  const file = installRelease(release);
  const { url } = await blankDatabase(t);
  await promisify(execFile)(process.execPath, [file, 'set-password', '--name', login.name], {
    env: {
      PATH: process.env['PATH'],
      GW_DATABASE_URL: url,
      GW_ENCRYPTION_KEY: encryptionKey,
      GW_PASSWORD: login.password,
    },
  });
  const earlier = await startControlProgram(t, url, {}, file);
  await addModel(t, earlier.admin);
  await patchModel(earlier, price);
  // A proxy of this release works with the earlier control plane too.
  const proxy = await startProxyProgram(t, { controlUrl: earlier.adminUrl });
  const { key } = await createKey(earlier.admin);
  await served(proxy.url, key);
  const before = await counted(earlier, 1);
  await earlier.end('SIGTERM');
  const events = await eventsOf(url, Number.MAX_SAFE_INTEGER);

  const port = new URL(earlier.adminUrl).port;
  const control = await startControlProgram(t, url, { GW_ADMIN_PORT: port });
  const after = await counted(control, before.requests);
  assert.deepEqual(
    [after.prompt_tokens, after.cost_micros],
    [before.prompt_tokens, before.cost_micros],
  );
  assert.deepEqual(await eventsOf(url, Number(events?.['head'])), events);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey };
  assert.equal((await gw(['log', 'verify'], { env })).code, 0);
  await patchModel(control, card);
  await served(proxy.url, key);
  await counted(control, before.requests + 1);
});
