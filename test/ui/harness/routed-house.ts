// A control plane with three served models and the frontend model `chat`, whose rules a test changes.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Locator, Page } from 'playwright-core';

import { listedProvider } from '../../harness/upstream/model-list.ts';
import { emptyHouse } from './house.ts';
import type { House } from './house.ts';
import { make, read } from './records.ts';

/** The value of x-gw-route that the dry run answers. */
export const reason = (page: Page): Locator => page.locator('gw-dry-run .reason code');

type Rule = Readonly<Record<string, unknown>>;

export async function rulesOf(house: House): Promise<readonly Rule[]> {
  const { rules } = await read(house, '/admin/frontend-models/1');
  assert.ok(Array.isArray(rules));
  return rules;
}

/** Three models that an engine serves, and `chat`: streamed requests go to small, large ones to large, the rest to other. */
export async function routedHouse(test: TestContext): Promise<House> {
  const house = await emptyHouse(test);
  const models = ['small', 'large', 'other'];
  const { apiBase } = await listedProvider(test, { models });
  await make(house, '/admin/providers', { name: 'Engine', api_base: apiBase });
  for (const [index, name] of models.entries()) {
    await make(house, '/admin/provider-models', { name });
    await make(house, `/admin/provider-models/${index + 1}/backends`, { provider_id: 1 });
  }
  await make(house, '/admin/frontend-models', {
    name: 'chat',
    default_targets: ['other'],
    rules: [
      { stream: true, targets: ['small'] },
      { min_prompt_tokens: 1_000, targets: ['large'] },
    ],
  });
  return house;
}
