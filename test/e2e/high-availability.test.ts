// Tests the loss of a database server and of the encryption key: runs the shell blocks of
// docs/guides/high-availability.md on real servers.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { z } from 'zod';

import { login, startControlProgram } from '../harness/program/control-program.ts';
import { debianServerSite, queryOnce } from '../harness/postgres/debian-postgres.ts';
import type { DebianServer } from '../harness/postgres/debian-postgres.ts';
import {
  backupDirectory,
  blocksOf,
  createModel,
  giveToAccount,
  installation,
  modelNames,
  show,
} from '../harness/postgres/runbook.ts';
import { blankDatabase } from '../harness/postgres/postgres.ts';
import { until } from '../harness/wait.ts';

const [
  copy = '',
  waitForStandby = '',
  standbys = '',
  promote = '',
  check = '',
  newEpoch = '',
  replay = '',
  newKey = '',
] = await blocksOf('high-availability.md', 'sh');

const reload = 'select pg_reload_conf()';

/** Runs the steps under "Add a standby" and returns it. */
async function addStandby(t: TestContext, primary: DebianServer): Promise<DebianServer> {
  const site = await debianServerSite(t);
  const replicationUrl = `${primary.url('postgres')}&application_name=standby_1`;
  await show(copy, { REPLICATION_URL: replicationUrl, STANDBY_DATA: site.data });
  await giveToAccount(site.data);
  const standby = await site.start();
  const primaryUrl = { PRIMARY_URL: primary.url('postgres') };
  await show(waitForStandby, primaryUrl);
  await until(async () => /standby_1 +\| quorum/.test(await show(standbys, primaryUrl)), {
    what: 'that the standby is connected',
  });
  return standby;
}

/** The address of gw, which names both servers. */
const both = (first: DebianServer, second: DebianServer): string => {
  const other = new URL(second.url('gw', 'gw')).host;
  return first.url('gw', 'gw').replace(':5432/', `:5432,${other}/`);
};

async function adminToken(adminUrl: string, cookie: string): Promise<string> {
  const headers = { cookie, 'content-type': 'application/json' };
  const session = await fetch(`${adminUrl}/session`, { headers });
  const { you } = z.object({ you: z.object({ id: z.int() }) }).parse(await session.json());
  const answer = await fetch(`${adminUrl}/admin/tokens`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'runbook', principal_id: you.id, permissions: ['usage:read'] }),
  });
  return z.object({ token: z.string() }).parse(await answer.json()).token;
}

describe('a standby', () => {
  it('is added and promoted as the page describes, and has every change', async (t) => {
    const primary = await installation(t);
    const standby = await addStandby(t, primary);
    const url = both(primary, standby);
    const { adminUrl, cookie } = await startControlProgram(t, url);
    const token = await adminToken(adminUrl, cookie);
    await createModel(adminUrl, cookie, 'saved');

    await primary.stop();
    await show(promote, { STANDBY_URL: standby.url('postgres') });
    const variables = { GW_DATABASE_URL: url, GW_ADMIN_TOKEN: token, CONTROL_URL: adminUrl };
    const output = await until(
      async () => {
        const shown = await show(check, variables);
        return shown.includes('"alarms"') ? shown : null;
      },
      { what: 'an answer of the control process' },
    );
    assert.match(output, /the chain is intact/);
    assert.match(output, /"alarms": ?\[\]/);
    await createModel(adminUrl, cookie, 'after the promotion');
    assert.match(await modelNames(adminUrl, cookie), /"name":"saved"/);

    const next = await addStandby(t, standby);
    const [row] = await queryOnce(next.url('gw'), 'select count(*) as events from es.events');
    assert.ok(Number(row?.['events']) > 0);
  });

  it('that lacked the last changes is found out, and continues with a new epoch', async (t) => {
    const primary = await installation(t);
    const standby = await addStandby(t, primary);
    const url = both(primary, standby);
    const { adminUrl, cookie } = await startControlProgram(t, url);
    const token = await adminToken(adminUrl, cookie);
    await queryOnce(
      primary.url('postgres'),
      'alter system reset synchronous_standby_names',
      reload,
    );
    await queryOnce(standby.url('postgres'), "alter system set primary_conninfo = ''", reload);
    await until(
      async () => {
        const left = 'select 1 from pg_stat_replication';
        return (await queryOnce(primary.url('postgres'), left)).length === 0;
      },
      { what: 'that the standby is disconnected' },
    );
    await createModel(adminUrl, cookie, 'lost');

    await primary.stop();
    await show(promote, { STANDBY_URL: standby.url('postgres') });
    const variables = { GW_DATABASE_URL: url, GW_ADMIN_TOKEN: token, CONTROL_URL: adminUrl };
    const alarmed = await until(
      async () => {
        const shown = await show(check, variables);
        return shown.includes('"explained_by_epoch":null') ? shown : null;
      },
      { what: 'the alarm' },
    );
    assert.match(alarmed, /hash \w{64} at position \d+/);
    assert.match(await show(newEpoch, variables), /a new epoch starts/);
    const explained = await show(check, variables);
    assert.doesNotMatch(explained, /"explained_by_epoch":null/);
    assert.doesNotMatch(await modelNames(adminUrl, cookie), /"name":"lost"/);
  });
});

describe('without the encryption key', () => {
  it('the configuration is kept, and gets a new key and administrator', async (t) => {
    const directory = await backupDirectory(t);
    const source = await installation(t);
    const sourceUrl = source.url('gw', 'gw');
    const { adminUrl, cookie, end } = await startControlProgram(t, sourceUrl);
    await createModel(adminUrl, cookie, 'saved');
    await end('SIGTERM');

    const { url: newUrl } = await blankDatabase(t);
    const output = await show(`${replay}\n${newKey}\necho "key $GW_ENCRYPTION_KEY"`, {
      GW_DATABASE_URL: sourceUrl,
      GW_ENCRYPTION_KEY: '',
      BACKUP_DIR: directory,
      NEW_URL: newUrl,
      NEW_PASSWORD: login.password,
    });
    const [, newKeyText = ''] = /^key (\w{64})$/m.exec(output) ?? [];
    const again = await startControlProgram(t, newUrl, { GW_ENCRYPTION_KEY: newKeyText });
    assert.match(await modelNames(again.adminUrl, again.cookie), /"name":"saved"/);
    await createModel(again.adminUrl, again.cookie, 'after');
  });
});
