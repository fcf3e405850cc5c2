// Tests the page for the address of a record or screen that does not exist.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { emptyServer, open } from './harness/server.ts';
import { make, rowNamed } from './harness/records.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('names who deleted a record, and links its last version and its restore', async (t) => {
  const server = await emptyServer(t);
  const { id } = await make(server, '/admin/models', { name: 'to-be-deleted' });
  assert.equal((await server.send('DELETE', `/admin/models/${Number(id)}`)).status, 200);
  const { page, watched } = await open(t, server, `models/${Number(id)}`);
  await page.getByText('was deleted by boss').waitFor();
  await expectCleanScreen(page, watched);
  await page.getByRole('link', { name: /^Open as of \d+$/ }).click();
  await page.getByRole('heading', { name: 'to-be-deleted' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Restore…' }).click();
  await page.getByText('to-be-deleted').first().waitFor();
  assert.match(page.url(), /only=model-\d+/u);
  assert.equal(await rowNamed(server, '/admin/models', 'to-be-deleted'), undefined);
});

it('reports that no record has the id of a record that never existed', async (t) => {
  const server = await emptyServer(t);
  for (const [place, words] of [
    ['models/99999', 'Model 99999 does not exist.'],
    ['keys/99999', 'API key 99999 does not exist.'],
    ['tokens/99999', 'Admin token 99999 does not exist.'],
    ['frontend-models/99999', 'Frontend model 99999 does not exist.'],
    ['frontend-models/pools/99999', 'Pool 99999 does not exist.'],
  ] as const) {
    const { page } = await open(t, server, place);
    await page.getByText(words).waitFor();
  }
});

it('reports that an unknown part of the history does not exist', async (t) => {
  const server = await emptyServer(t);
  const { page } = await open(t, server, 'history/bogus');
  await page.getByText('No page at history/bogus').waitFor();
});
