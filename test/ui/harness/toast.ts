// Waits for notifications of the page.

import type { Page } from 'playwright-core';

/** Looks only in the notifications, because lists on the page can contain the same text. */
export const toast = (page: Page, text: string | RegExp): Promise<void> =>
  page.locator('gw-toasts').getByText(text).waitFor();
