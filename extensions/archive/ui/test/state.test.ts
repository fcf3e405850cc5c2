// Tests in a browser that the screen of usage shows the archive, what is missing, and different settings,
// and that the background job measures it.

import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';

import { sql } from '@databases/pg';

import { reportUsage, reported } from '../../../../test/harness/admin/usage.ts';
import { collectLog } from '../../../../test/harness/gateway/gateway.ts';
import { temporaryDirectory } from '../../../../test/harness/temporary-directory.ts';
import { emptyServer, open } from '../../../../test/ui/harness/server.ts';
import { expectCleanScreen } from '../../../../test/ui/harness/watch.ts';

it('shows what the archive has and what is wrong with it', async (t) => {
  const usageArchive = path.join(await temporaryDirectory(t), 'archive');
  const server = await emptyServer(t, { settings: { usageArchive } });
  await server.send('POST', '/admin/models', { name: 'small' });
  const at = new Date(Date.now() - 3 * 3_600_000).toISOString();
  await reportUsage(server, [reported(1, { at })]);
  const { page, watched } = await open(t, server, 'usage', { width: 360 });
  await page.getByRole('heading', { name: 'Usage and spend' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Archive' }).count(), 0);

  const { db } = server.plane;
  const job = server.admin
    .jobs({ log: collectLog([]), seenBefore: [] })
    .find(({ what }) => what === 'archiving usage');
  await job?.work();
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, /\ngw_usage_archive_hours 1\n/);
  assert.match(metrics, /\ngw_usage_archive_unused 0\n/);
  await db.query(sql`
    insert into op.usage_archive_processes (process, place, archive_id, seen_at)
    values ('other', '/elsewhere', 'other', now())`);
  await db.query(sql`
    update op.usage_archive_hours set failed_at = now(), failure = 'the disk is full'`);
  await page.reload();
  const shown = page.getByRole('region', { name: 'Archive' });
  await shown.getByText(usageArchive, { exact: true }).waitFor();
  await shown.getByText('1 hour in 1 file').waitFor();
  await shown.getByText('1 hour could not be archived or verified: the disk is full.').waitFor();
  await shown.getByText('which are not used: /elsewhere').waitFor();
  await expectCleanScreen(page, watched);
});
