// A control plane with models, a pool and a frontend model, and the records of rules and targets as they are answered.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { member, testAdministrator } from './admin.ts';

const noConditions = {
  principals: [],
  roles: [],
  min_prompt_tokens: null,
  max_prompt_tokens: null,
  min_max_tokens: null,
  max_max_tokens: null,
  stream: null,
  headers: {},
  min_budget_used_percent: null,
  max_budget_used_percent: null,
  max_inflight_per_backend: null,
  class: null,
  min_request_cost_micros: null,
  max_request_cost_micros: null,
  after: null,
  before: null,
  days: [],
  utc_offset_minutes: 0,
};
export const bareRule = {
  id: 1,
  position: 0,
  action: 'route',
  ...noConditions,
  deny_status: null,
  deny_message: null,
  jump_to: null,
  tag: null,
  targets: [],
};
export const onModel = (
  id: number,
  provider_model_id: number,
  model: string,
  position: number,
) => ({
  id,
  provider_model_id,
  model_pool_id: null,
  model,
  position,
});

/** Models small (1) and large (2), the pool pair (1) of both, and the frontend model house (1). */
export async function house(test: Pick<TestContext, 'after'>) {
  const started = await testAdministrator(test);
  const { send } = started;
  for (const name of ['small', 'large']) await send('POST', '/admin/models', { name });
  await send('POST', '/admin/model-pools', { name: 'pair', members: ['small', 'large'] });
  await send('POST', '/admin/frontend-models', { name: 'house' });
  const one = async () => (await send('GET', '/admin/frontend-models/1')).body;
  const rules = async () => {
    const found = member(await one(), 'rules');
    assert.ok(Array.isArray(found));
    return found;
  };
  return { ...started, one, rules };
}
