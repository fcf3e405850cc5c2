// Creates a model that answers, and API keys for it, through the admin API.

import type { TestContext } from 'node:test';

import { z } from 'zod';

import type { AdminClient } from '../../../src/cli/control-plane/admin-client.ts';
import { startDemoProvider } from '../../../src/cli/dev/demo-provider.ts';

const created = z.object({ id: z.int() });
const createdKey = z.object({ id: z.int(), key: z.string() });

/** Creates model `demo`, served by the demo provider. */
export async function addModel(
  test: Pick<TestContext, 'after'>,
  admin: AdminClient,
): Promise<void> {
  const demo = await startDemoProvider({ port: 0 });
  test.after(demo.close);
  const post = (path: string, body: unknown) =>
    admin.send({ method: 'POST', path, body, answer: created });
  const provider = await post('/admin/providers', { name: 'demo', api_base: demo.apiBase });
  const model = await post('/admin/provider-models', { name: 'demo' });
  const backend = { provider_id: provider.id };
  await post(`/admin/provider-models/${model.id}/backends`, backend);
}

export const createKey = (admin: AdminClient) =>
  admin.send({
    method: 'POST',
    path: '/admin/keys',
    body: { name: 'a key', principal_id: 1 },
    answer: createdKey,
  });

/**
 * Creates a principal that may invoke every model, with an API key. Returns functions that set its
 * limits and budget.
 */
export async function createCaller(admin: AdminClient, name: string) {
  const send = <Answer>(
    method: 'POST' | 'PUT',
    path: string,
    body: unknown,
    answer: z.ZodType<Answer>,
  ) => admin.send({ method, path: `/admin/${path}`, body, answer });
  const { id } = await send('POST', 'principals', { name }, created);
  await send('POST', `principals/${id}/roles`, { role: 'inference' }, z.unknown());
  const { key } = await send('POST', 'keys', { name: 'a key', principal_id: id }, createdKey);
  const give = (what: 'limits' | 'budget', body: unknown) =>
    send('PUT', `principals/${id}/${what}`, body, z.unknown());
  return { id, name, key, give };
}

/** The status of a chat with model `demo`. */
export async function chatStatus(gateway: string, key: string): Promise<number> {
  const response = await fetch(`${gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.arrayBuffer();
  return response.status;
}
