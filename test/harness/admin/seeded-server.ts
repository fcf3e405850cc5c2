// Starts a control plane with two models, a pool and a frontend model.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { member, testAdministrator } from './admin.ts';

/**
 * Creates models small (1) and large (2), pool pair (1) with both, and frontend model house (1).
 */
export async function seededServer(test: Pick<TestContext, 'after'>) {
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
