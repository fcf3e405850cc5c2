// Tests that a control process whose log was reset serves nothing from the lost events and reads
// the log again.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { proxyToken, testAdministrator } from '../../harness/admin/admin.ts';
import { testDatabase } from '../../harness/postgres/postgres.ts';
import { rollBackTo, asSuperuser } from '../../harness/postgres/log-tampering.ts';
import { until } from '../../harness/wait.ts';

const named = z.array(z.object({ name: z.string() }));

async function place(t: TestContext) {
  const database = await testDatabase();
  t.after(database.drop);
  const admin = await testAdministrator(t, {
    database: { ...database, drop: async () => {} },
  });
  const make = async (name: string): Promise<number> =>
    (await admin.send('POST', '/admin/models', { name })).status;
  const snapshot = () => admin.ask({ path: '/snapshot', token: proxyToken });
  return { ...admin, make, snapshot, superuser: asSuperuser(database) };
}

describe('a control process whose log was reset', () => {
  it('serves and changes nothing until it has read the log again', async (t) => {
    const { plane, ask, send, make, snapshot, superuser } = await place(t);
    await make('kept');
    const kept = plane.store.state();
    await make('lost');
    const lost = plane.store.state();
    const told = Promise.withResolvers<unknown>();
    const mayGoOn = Promise.withResolvers<void>();
    plane.onForked((where) => {
      told.resolve(where);
      return mayGoOn.promise;
    });
    await superuser(...rollBackTo(kept.position));
    const { position, hash, version } = lost;
    assert.partialDeepStrictEqual(await told.promise, { position, hash, version });
    assert.equal(plane.publisher.current(), null);
    const statuses = [
      (await ask({ path: '/readyz' })).status,
      (await snapshot()).status,
      (await send('GET', '/admin/models')).status,
      await make('meanwhile'),
    ];
    assert.deepEqual(statuses, [503, 503, 503, 503]);
    mayGoOn.resolve();
    await until(async () => (await ask({ path: '/readyz' })).status === 200, { what: 'ready' });
    assert.deepEqual(plane.store.state().hash, kept.hash);
    const listed = named.parse((await send('GET', '/admin/models')).body);
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['kept'],
    );
    assert.equal(await make('lost'), 200);
  });

  it('answers for a past moment from the current log', async (t) => {
    const { plane, send, make, superuser } = await place(t);
    await make('kept');
    const { position: kept } = plane.store.state();
    await make('lost');
    const { position } = plane.store.state();
    await make('later');
    const modelsThen = async () => {
      const answer = await send('GET', `/admin/models?as_of=${position}`);
      return named
        .parse(answer.body)
        .map(({ name }) => name)
        .toSorted();
    };
    assert.deepEqual(await modelsThen(), ['kept', 'lost']);
    await superuser(...rollBackTo(kept));
    const isMade = async () => (await make('found')) === 200;
    await until(isMade, { what: 'the change' });
    assert.deepEqual(await modelsThen(), ['found', 'kept']);
  });

  it('does not decide changes on lost events', async (t) => {
    const { plane, make, superuser } = await place(t);
    await make('kept');
    const { position: kept } = plane.store.state();
    await make('lost');
    await superuser(...rollBackTo(kept));
    const statuses = new Set<number>();
    const isMade = async () => {
      const status = await make('lost');
      statuses.add(status);
      return status === 200;
    };
    await until(isMade, { what: 'the change' });
    assert.ok([...statuses].every((status) => status === 200 || status === 503));
  });
});
