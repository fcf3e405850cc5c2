// Seeds records of every kind for tests that call every route. Each seed creates a record that no
// other request uses, and returns its path parameters.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { principalId } from '../../../src/lib/ids.ts';
import { member, testAdministrator } from './admin.ts';
import { linkIdentity } from '../sign-on/identities.ts';
import { namespace, resourceName, startManagedCluster } from '../cluster/managed-deployment.ts';
import { listedProvider } from '../upstream/model-list.ts';
import { requestSeeds } from './request-seeds.ts';
import { reported, reportUsage } from './usage.ts';

export type Seed = () => Promise<string>;

/** Creates the provider and the model that several seeds and examples refer to. */
export async function seededPlane(test: Pick<TestContext, 'after'>) {
  const { place } = await startManagedCluster(test);
  const managed = { place, namespace, name: resourceName };
  const admin = await testAdministrator(test, {
    managed,
    settings: { usageArchive: '/var/lib/gw/archive' },
  });
  const { send } = admin;
  let count = 0;
  const unique = (): string => `seed-${(count += 1)}`;
  const upstream = async (models?: readonly string[]): Promise<string> =>
    (await listedProvider(test, models === undefined ? {} : { models })).apiBase;
  const make = async (path: string, body: unknown): Promise<unknown> => {
    const answer = await send('POST', path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const idOf = async (path: string, body: unknown): Promise<string> =>
    String(member(await make(path, body), 'id'));
  const made =
    (path: string, body: object = {}) =>
    (): Promise<string> =>
      idOf(path, { name: unique(), ...body });
  const below = (path: string, owner: Seed, body: object) => async (): Promise<string> =>
    idOf(path.replace('{id}', await owner()), body);

  const provider = async (): Promise<string> =>
    idOf('/admin/providers', { name: unique(), api_base: await upstream() });
  const shared = Number(await provider());
  await make('/admin/provider-models', { name: 'qwen3-8b' });
  await make('/admin/provider-models/1/backends', { provider_id: shared });
  await make('/admin/frontend-models', { name: 'chat', default_targets: ['qwen3-8b'] });

  const model = made('/admin/provider-models');
  const principal = made('/admin/principals');
  const administrator = async (): Promise<string> => {
    const id = await principal();
    await make(`/admin/principals/${id}/roles`, { role: 'admin' });
    return id;
  };
  const frontendModel = made('/admin/frontend-models');
  const target = { model: 'qwen3-8b' };
  const rule = below('/admin/frontend-models/{id}/rules', frontendModel, { targets: [] });
  const pool = made('/admin/model-pools');
  const promptClass = made('/admin/prompt-classes', { examples: ['Sort this'] });
  const webhook = made('/admin/webhooks', { url: 'https://alerts.example.com/gw' });
  const requests = requestSeeds(admin, { unique });
  const seeds = {
    principal,
    administrator,
    holder: async (): Promise<string> => {
      const id = await principal();
      await make(`/admin/principals/${id}/roles`, { role: 'inference' });
      return id;
    },
    /** A user with a linked identity. */
    signedOn: async (): Promise<string> => {
      const name = unique();
      const id = await idOf('/admin/principals', { name, kind: 'user' });
      await linkIdentity(admin.plane, { id: principalId.parse(Number(id)), subject: name });
      return id;
    },
    key: made('/admin/keys', { principal_id: 1 }),
    adminToken: async (): Promise<string> => {
      const owner = { principal_id: Number(await administrator()), permissions: ['usage:read'] };
      return idOf('/admin/tokens', { name: unique(), ...owner });
    },
    role: async (): Promise<string> => {
      const name = unique();
      await make('/admin/roles', { name });
      return name;
    },
    provider,
    model,
    backend: async (): Promise<string> => {
      const id = await model();
      await make(`/admin/provider-models/${id}/backends`, { provider_id: shared });
      return id;
    },
    frontendModel,
    rule,
    ruleTarget: below('/admin/rules/{id}/targets', rule, target),
    defaultTarget: below('/admin/frontend-models/{id}/defaults', frontendModel, target),
    pool,
    poolMember: below('/admin/model-pools/{id}/members', pool, target),
    promptClass,
    billReconciliation: async (): Promise<string> => {
      const content = 'date,model,amount\n2026-11-01,gpt-5,12.50\n';
      return idOf('/admin/usage/reconciliations', { content });
    },
    usageRow: async (): Promise<string> => {
      const { version } = admin.plane.store.state();
      const row = reported((count += 1), { model: 'qwen3-8b', snapshot_version: version });
      await reportUsage(admin, [{ ...row, virtual_model: 'qwen3-8b' }]);
      return row.id;
    },
    mcpServer: made('/admin/mcp-servers', { url: 'https://mcp.example.com/mcp' }),
    agent: made('/admin/a2a-agents', { url: 'https://agents.example.com/a' }),
    webhook,
    /** A webhook with a delivery. */
    testedWebhook: async (): Promise<string> => {
      const id = await webhook();
      await make(`/admin/webhooks/${id}/test`, {});
      return id;
    },
    ...requests,
  } as const satisfies Record<string, Seed>;
  return { ...admin, seeds, unique, upstream, make };
}

export type SeededPlane = Awaited<ReturnType<typeof seededPlane>>;
export type SeedName = keyof SeededPlane['seeds'];
