// What the page says of a change that is done.

import type { Page } from 'playwright-core';

/** Waits for `text` where changes are announced: the lists behind it may say the same. */
export const toast = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('gw-toasts').getByText(text).waitFor();
