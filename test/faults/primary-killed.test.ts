// Tests that the primary of two Postgres servers dies under load, with an address that names both.
// With a synchronous standby, no acknowledged change is lost; otherwise the loss is named.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { sql } from '@databases/pg';
import { z } from 'zod';

import { readModelSchema } from '../../projections/read-model.ts';
import { verifyLog } from '../../src/control/log/verify-log.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { failOverPair } from '../harness/postgres/fail-over.ts';
import { gw } from '../harness/program/command-line.ts';
import {
  encryptionKey,
  prepareControl,
  startControlProgram,
} from '../harness/program/control-program.ts';
import type { ControlProgram } from '../harness/program/control-program.ts';
import { startProxyProgram } from '../harness/program/proxy-program.ts';
import { until } from '../harness/wait.ts';

const writers = 8;
const changesBefore = 400;
const changesAfter = 100;

const alarm = z.object({ position: z.int(), problem: z.string() });
const open = z.object({ explained_by_epoch: z.null() });
const integrity = z.object({ alarms: z.array(alarm.extend({ explained_by_epoch: z.unknown() })) });

type Answer = Readonly<{ status: number; text: string }>;

async function createModel({ adminUrl, cookie }: ControlProgram, name: string): Promise<Answer> {
  const answer = await fetch(`${adminUrl}/admin/provider-models`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** Creates models until it is stopped. `made` are the acknowledged ones. */
function startWriting(control: ControlProgram) {
  const made: string[] = [];
  const refused: Answer[] = [];
  const stopping = new AbortController();
  const write = async (writer: number): Promise<void> => {
    for (let at = 0; !stopping.signal.aborted; at++) {
      const name = `model-${writer}-${at}`;
      const answer = await createModel(control, name);
      if (answer.status === 200) made.push(name);
      else refused.push(answer);
    }
  };
  const running = Array.from({ length: writers }, (_, writer) => write(writer));
  return {
    made,
    refused,
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

function reading(test: TestContext, url: string) {
  const db = openDatabase({
    url,
    purpose: 'maintenance',
    applicationName: 'gw test',
    connectionsMax: 2,
    schema: readModelSchema,
  });
  test.after(() => db.dispose());
  return {
    db,
    models: async (): Promise<ReadonlySet<string>> => {
      const rows: { name: string }[] = await db.query(sql`select name from models`);
      return new Set(rows.map(({ name }) => name));
    },
  };
}

const openAlarms = async ({ admin }: ControlProgram) =>
  (await admin.get('/admin/log/head', integrity)).alarms.filter(
    (one) => open.safeParse(one).success,
  );

describe('a primary that is killed under load', () => {
  it('loses no acknowledged change if its standby is synchronous', async (t) => {
    const pair = await failOverPair(t, { isSynchronous: true });
    await prepareControl(pair.bothUrl);
    const control = await startControlProgram(t, pair.bothUrl);
    const proxy = await startProxyProgram(t, { controlUrl: control.adminUrl });
    const { db, models } = reading(t, pair.bothUrl);
    const writing = startWriting(control);
    await until(() => writing.made.length >= changesBefore, { what: 'changes before' });

    await pair.killPrimary();
    await until(() => writing.refused.length > 0, { what: 'a refused change' });
    assert.equal((await fetch(`${proxy.url}/readyz`)).status, 200);
    assert.equal((await fetch(`${control.adminUrl}/readyz`)).status, 503);

    await pair.promote();
    const kept = writing.made.length;
    await until(() => writing.made.length >= kept + changesAfter, { what: 'changes after' });
    await writing.stop();
    for (const { status, text } of writing.refused) assert.equal(status, 503, text);
    const found = await models();
    assert.deepEqual(
      writing.made.filter((name) => !found.has(name)),
      [],
    );
    assert.deepEqual(await openAlarms(control), []);
    assert.deepEqual((await verifyLog(db)).problems, []);
    await until(
      async () => {
        const listening: unknown[] = await db.query(sql`
          select 1 from pg_stat_activity where application_name = 'gw listen'`);
        return listening.length === 1;
      },
      { what: 'a connection that listens on the new primary' },
    );
  });

  it('has acknowledged no change that its synchronous standby lacks', async (t) => {
    const pair = await failOverPair(t, { isSynchronous: true });
    await prepareControl(pair.bothUrl);
    const control = await startControlProgram(t, pair.bothUrl);
    assert.equal((await createModel(control, 'kept')).status, 200);
    await pair.holdBack();

    const { status, text } = await createModel(control, 'on no standby');
    assert.equal(status, 503, text);
    assert.match(text, /unknown whether the change was made/);

    await pair.killPrimary();
    await pair.resume();
    await pair.promote();
    await until(async () => (await createModel(control, 'after')).status === 200, {
      what: 'a change on the new primary',
    });
    const { models } = reading(t, pair.bothUrl);
    assert.deepEqual([...(await models())].toSorted(), ['after', 'kept']);
    assert.deepEqual(await openAlarms(control), []);
  });

  it('leaves an alarm that names the lost changes if its standby lagged', async (t) => {
    const pair = await failOverPair(t);
    await prepareControl(pair.bothUrl);
    const control = await startControlProgram(t, pair.bothUrl);
    const proxy = await startProxyProgram(t, { controlUrl: control.adminUrl });
    const { models } = reading(t, pair.bothUrl);
    assert.equal((await createModel(control, 'kept')).status, 200);
    await pair.holdBack();
    const writing = startWriting(control);
    await until(() => writing.made.length >= changesAfter, { what: 'changes that will be lost' });

    await pair.killPrimary();
    await writing.stop();
    const lost = writing.made;
    await pair.resume();
    await pair.promote();
    await until(async () => (await createModel(control, 'after')).status === 200, {
      what: 'a change on the new primary',
    });
    assert.deepEqual([...(await models())].toSorted(), ['after', 'kept']);
    const alarms = await openAlarms(control);
    assert.ok(lost.length > 0);
    assert.match(alarms[0]?.problem ?? '', /hash \w{64} at position \d+/);
    assert.equal((await fetch(`${proxy.url}/readyz`)).status, 200);

    const began = await gw(['log', 'new-epoch', '--reason', 'the primary was lost'], {
      env: { GW_DATABASE_URL: pair.bothUrl, GW_ENCRYPTION_KEY: encryptionKey },
    });
    assert.equal(began.code, 0, began.stderr);
    await until(async () => (await openAlarms(control)).length === 0, { what: 'no open alarm' });
  });
});
