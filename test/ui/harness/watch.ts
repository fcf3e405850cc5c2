// Records errors in the console, policy violations and requests to other origins, and checks
// accessibility.

import assert from 'node:assert/strict';

import { AxeBuilder } from '@axe-core/playwright';
import type { ConsoleMessage, Page, Request } from 'playwright-core';

export type Watched = Readonly<{
  errors: readonly string[];
  elsewhere: readonly string[];
  /** Stops watching. */
  end: () => void;
}>;

/** Call before the page loads. A violation of the policy is also an error in the console. */
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

/**
 * Fails if the page did anything forbidden, or if axe finds a problem (WCAG 2.2 AA and heading
 * order), shadow roots included.
 */
export async function expectCleanScreen(
  page: Page,
  watched: Watched,
  { isStreaming = false } = {},
): Promise<void> {
  // A stream never ends.
  if (!isStreaming) await page.waitForLoadState('networkidle');
  // Runs in the page itself, which has no frames: collecting the results in a separate page takes
  // longer.
  const { violations } = await new AxeBuilder({ page })
    .options({
      runOnly: rules,
      rules: { 'heading-order': { enabled: true } },
      resultTypes: ['violations'],
      // Preloading reads style sheets and media for rules that do not run here.
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
