// Starts a control plane with three served models and the frontend model `chat`, whose rules tests
// change.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { listedProvider } from '../../harness/upstream/model-list.ts';
import { emptyServer } from './server.ts';
import type { Server } from './server.ts';
import { make, read } from './records.ts';

/** The value of x-gw-route in the answer of the dry run. */
export const reason = (page: Page): Locator => page.locator('gw-dry-run .reason code');

type Rule = Readonly<Record<string, unknown>>;

export async function rulesOf(server: Server): Promise<readonly Rule[]> {
  const { rules } = await read(server, '/admin/frontend-models/1');
  assert.ok(Array.isArray(rules));
  return rules;
}

/**
 * Creates three models of one provider, and `chat`: streamed requests go to small, large ones to
 * large, the rest to other.
 */
export async function routedServer(test: TestContext): Promise<Server> {
  const server = await emptyServer(test);
  const models = ['small', 'large', 'other'];
  const { apiBase } = await listedProvider(test, { models });
  await make(server, '/admin/providers', { name: 'Engine', api_base: apiBase });
  for (const [index, name] of models.entries()) {
    await make(server, '/admin/provider-models', { name });
    await make(server, `/admin/provider-models/${index + 1}/backends`, { provider_id: 1 });
  }
  await make(server, '/admin/frontend-models', {
    name: 'chat',
    default_targets: ['other'],
    rules: [
      { stream: true, targets: ['small'] },
      { min_prompt_tokens: 1_000, targets: ['large'] },
    ],
  });
  return server;
}
