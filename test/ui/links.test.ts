// What an address shows whose record or screen does not exist.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { emptyHouse, open } from './harness/house.ts';
import { make, rowNamed } from './harness/records.ts';
import { expectCleanScreen } from './harness/watch.ts';

it('says of a deleted record who deleted it, and leads to it as it was and to its restore', async (t) => {
  const house = await emptyHouse(t);
  const { id } = await make(house, '/admin/models', { name: 'to-be-deleted' });
  assert.equal((await house.send('DELETE', `/admin/models/${Number(id)}`)).status, 200);
  const { page, watched } = await open(t, house, `models/${Number(id)}`);
  await page.getByText('was deleted by boss').waitFor();
  await expectCleanScreen(page, watched);
  await page.getByRole('link', { name: /^Open as of \d+$/ }).click();
  await page.getByRole('heading', { name: 'to-be-deleted' }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Restore…' }).click();
  await page.getByText('to-be-deleted').first().waitFor();
  assert.match(page.url(), /only=model-\d+/u);
  assert.equal(await rowNamed(house, '/admin/models', 'to-be-deleted'), undefined);
});

it('says of a record that never existed that no record has its id', async (t) => {
  const house = await emptyHouse(t);
  for (const [place, words] of [
    ['models/99999', 'Model 99999 does not exist.'],
    ['keys/99999', 'API key 99999 does not exist.'],
    ['tokens/99999', 'Admin token 99999 does not exist.'],
    ['frontend-models/99999', 'Frontend model 99999 does not exist.'],
    ['frontend-models/pools/99999', 'Pool 99999 does not exist.'],
  ] as const) {
    const { page } = await open(t, house, place);
    await page.getByText(words).waitFor();
  }
});

it('says of an unknown part of the history that it does not exist', async (t) => {
  const house = await emptyHouse(t);
  const { page } = await open(t, house, 'history/bogus');
  await page.getByText('No page at history/bogus').waitFor();
});
