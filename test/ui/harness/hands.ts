// What a person does at a page, whichever screen it shows.

import type { Locator, Page } from 'playwright-core';

export const press = (at: Page | Locator, name: string): Promise<void> =>
  at.getByRole('button', { name, exact: true }).click();

/** The question before a save. */
export const question = (page: Page): Locator => page.locator('gw-save');

type Price = Readonly<{ of: string; to: string; which?: 'input' | 'output' }>;

/** A price in the list of models, typed anew: what is asked then is the test's. */
export async function typePrice(page: Page, { of, to, which = 'input' }: Price): Promise<void> {
  await page.getByRole('button', { name: `Edit ${which} price of ${of}` }).click();
  const field = page.getByLabel(`${which} price of ${of}, in dollars per million tokens`);
  await field.fill(to);
  await field.press('Enter');
}
