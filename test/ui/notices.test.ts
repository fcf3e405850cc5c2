// A form can be filled in without a pointer as it opens, and what is said of a change can be reached while its record is open beside
// the list.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { until } from '../harness/wait.ts';
import { emptyHouse, open } from './harness/house.ts';

it('a change is typed, published and taken back by keys alone, its record open', async (t) => {
  const house = await emptyHouse(t);
  const { page } = await open(t, house, 'roles/1/edit');
  const description = () =>
    [...house.plane.store.state().role.byId.values()].find(({ id }) => id === 1)?.description;
  const before = description();
  const focused = (label: string) =>
    page.getByLabel(label).and(page.locator(':focus')).waitFor({ state: 'visible' });

  await focused('Name');
  await page.keyboard.press('Tab');
  await page.keyboard.press('End');
  await page.keyboard.type('!');
  await page.getByRole('button', { name: 'Review change' }).press('Enter');
  await focused('Reason');
  await page.getByRole('button', { name: 'Publish change' }).press('Enter');
  await until(() => description() !== before, { what: 'the role is described anew' });
  assert.equal(description(), `${before}!`);

  await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
  await until(() => description() === before, { what: 'the role is described as before' });
});
