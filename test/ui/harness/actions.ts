// Actions of a user that work on every screen.

import type { Locator, Page } from 'playwright-core';

export const press = (at: Page | Locator, name: string): Promise<void> =>
  at.getByRole('button', { name, exact: true }).click();

/** The dialog that confirms a save. */
export const saveDialog = (page: Page): Locator => page.locator('gw-save');

type Price = Readonly<{ of: string; to: string; which?: 'input' | 'output' }>;

/** Types a price in the list of models. The test confirms the dialog that follows. */
export async function typePrice(page: Page, { of, to, which = 'input' }: Price): Promise<void> {
  await page.getByRole('button', { name: `Edit ${which} price of ${of}` }).click();
  const field = page.getByLabel(`${which} price of ${of}, in dollars per million tokens`);
  await field.fill(to);
  await field.press('Enter');
}
