// Tests that acknowledged mutations survive, with concurrent writers and with processes killed
// while they write. GW_TEST_MUTATIONS and GW_TEST_KILLS make it longer (`npm run test:soak`).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import type { AdminClient } from '../../src/cli/control-plane/admin-client.ts';
import { verifyLog } from '../../src/control/log/verify-log.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { prepareControl, startControlProgram } from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const mutations = Number(process.env['GW_TEST_MUTATIONS'] ?? 300);
const kills = Number(process.env['GW_TEST_KILLS'] ?? 2);

const modelRecord = z.object({ name: z.string(), context_length: z.int().nullable() });
const modelList = z.array(modelRecord);

/** One command of two events. A partial write would be a model without its context length. */
const createModel = (admin: AdminClient, name: string): Promise<unknown> =>
  admin.send({
    method: 'POST',
    path: '/admin/provider-models',
    body: { name, context_length: 4096 },
    answer: z.unknown(),
  });

type Models = z.output<typeof modelList>;

/** Lists all models, page by page. */
async function listModels({ adminUrl, cookie }: ControlProgram): Promise<Models> {
  const models: Models = [];
  for (let next: string | undefined = '/admin/provider-models'; next !== undefined;) {
    const page: Response = await fetch(new URL(next, adminUrl), { headers: { cookie } });
    models.push(...modelList.parse(await page.json()));
    next = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  return models;
}

function openLog(url: string) {
  return openDatabase({
    url,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 2,
  });
}

type Counts = { positions: number; last: number; ids: number };

describe('control replicas', () => {
  it('write one log without gaps, and read the same configuration', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const replicas = await Promise.all([
      startControlProgram(test, url),
      startControlProgram(test, url),
    ]);
    let left = mutations;
    const write = async (admin: AdminClient): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await createModel(admin, `model-${left}`);
      }
    };
    await Promise.all(
      replicas.flatMap(({ admin }) => Array.from({ length: 8 }, () => write(admin))),
    );

    const db = openLog(url);
    test.after(() => db.dispose());
    const [counts]: Counts[] = await db.query(sql`
      select count(*) as positions, max(position) as last, count(distinct event_id) as ids
      from es.events`);
    assert.ok(counts !== undefined);
    assert.equal(counts.positions, counts.last, 'positions are 1..n without a gap');
    assert.equal(counts.ids, counts.last, 'no event is there twice');
    assert.deepEqual((await verifyLog(db)).problems, []);
    for (const replica of replicas) {
      const names = (await listModels(replica)).map(({ name }) => name);
      assert.equal(new Set(names).size, mutations, 'every mutation is in the read model once');
      assert.equal(names.length, mutations);
    }
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
  });

  it('lose no acknowledged mutation when killed, and leave none incomplete', async (test) => {
    const { url } = await testDatabase(test);
    await prepareControl(url);
    const acknowledged = new Set<string>();
    for (let kill = 0; kill < kills; kill++) {
      const control = await startControlProgram(test, url);
      const before = acknowledged.size;
      const writers = [1, 2, 3, 4].map(async (writer) => {
        for (let number = 0; ; number++) {
          const name = `model-${kill}-${writer}-${number}`;
          await createModel(control.admin, name);
          acknowledged.add(name);
        }
      });
      const stopped = Promise.allSettled(writers);
      // Kills at a different moment of the pending commands each time.
      await until(() => acknowledged.size >= before + 10 + kill * 3, { what: 'some mutations' });
      await control.end('SIGKILL');
      await stopped;
    }
    const survivor = await startControlProgram(test, url);
    const models = await listModels(survivor);
    const found = new Set(models.map(({ name }) => name));
    assert.deepEqual(
      [...acknowledged].filter((name) => !found.has(name)),
      [],
    );
    assert.deepEqual(
      models.filter((model) => model.context_length !== 4096),
      [],
    );
    const db = openLog(url);
    test.after(() => db.dispose());
    assert.deepEqual((await verifyLog(db)).problems, []);
  });
});
