// What a page does that it should not: errors in the console, violations of its policy, requests to elsewhere; and what is in the
// way of people who cannot see or point.

import assert from 'node:assert/strict';

import { AxeBuilder } from '@axe-core/playwright';
import type { ConsoleMessage, Page, Request } from 'playwright-core';

export type Watched = Readonly<{
  errors: readonly string[];
  elsewhere: readonly string[];
  /** Watches no longer. */
  end: () => void;
}>;

/** From the page's beginning on. A violation of the policy is an error in the console too. */
export function watch(page: Page, url: string): Watched {
  const errors: string[] = [];
  const elsewhere: string[] = [];
  const onConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  };
  const onError = (error: Error): void => void errors.push(String(error));
  const onRequest = (request: Request): void => {
    const to = new URL(request.url());
    if (to.protocol !== 'blob:' && to.origin !== url) elsewhere.push(request.url());
  };
  page.on('console', onConsole);
  page.on('pageerror', onError);
  page.on('request', onRequest);
  const end = (): void => {
    page.off('console', onConsole);
    page.off('pageerror', onError);
    page.off('request', onRequest);
  };
  return { errors, elsewhere, end };
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** The page did nothing forbidden, and axe finds nothing in it (WCAG 2.2 AA, and the order of headings), shadow roots included. */
export async function expectCleanScreen(page: Page, watched: Watched): Promise<void> {
  await page.waitForLoadState('networkidle');
  // In the page itself, which has no frames: gathering what it found in a page of its own takes longer than finding it.
  const { violations } = await new AxeBuilder({ page })
    .options({
      runOnly: rules,
      rules: { 'heading-order': { enabled: true } },
      resultTypes: ['violations'],
      // It would read style sheets and media again, for rules that are not run here and for sound, of which the UI has none.
      preload: false,
    })
    .setLegacyMode(true)
    .analyze();
  const found = violations.map(({ id, nodes }) => {
    const [first] = nodes;
    return `${id}: ${nodes.length} × ${first?.html.slice(0, 160)} (${first?.failureSummary})`;
  });
  assert.deepEqual(found, []);
  assert.deepEqual(watched.errors, []);
  assert.deepEqual(watched.elsewhere, []);
}
