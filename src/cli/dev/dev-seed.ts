// Sets up the demo provider, its model, a principal and a key for `gw dev` through the admin API,
// so that the first request needs no vendor key. Keeps what exists.

import { z } from 'zod';

import type { AdminClient } from '../control-plane/admin-client.ts';
import { demoModel } from './demo-provider.ts';

const created = z.object({ id: z.int() });
const named = z.array(z.object({ id: z.int(), name: z.string() }));

export type DevKey = Readonly<{ id: number; key: string }>;

/** Returns a key for the demo model: `known` if it is valid, else a new one. */
export async function seedDemo(
  admin: AdminClient,
  { apiBase, known }: Readonly<{ apiBase: string; known: DevKey | null }>,
): Promise<DevKey> {
  const provider = await ensureProvider(admin, apiBase);
  await ensureModel(admin, provider);
  const principal = await ensurePrincipal(admin);
  if (known !== null && (await isKeyGood(admin, known.id))) return known;
  return admin.send({
    method: 'POST',
    path: '/admin/keys',
    body: { name: 'gw dev', principal_id: principal },
    answer: z.object({ id: z.int(), key: z.string() }),
  });
}

async function ensureProvider(admin: AdminClient, apiBase: string): Promise<number> {
  const providers = await admin.get(
    '/admin/providers',
    z.array(z.object({ id: z.int(), name: z.string(), api_base: z.string() })),
  );
  const found = providers.find(({ name }) => name === demoModel);
  if (found === undefined) {
    const body = { name: demoModel, kind: 'static', api_base: apiBase };
    const made = await admin.send({
      method: 'POST',
      path: '/admin/providers',
      body,
      answer: created,
    });
    return made.id;
  }
  if (found.api_base !== apiBase) {
    // The previous port was taken.
    await admin.send({
      method: 'PATCH',
      path: `/admin/providers/${found.id}`,
      body: { api_base: apiBase },
      answer: z.unknown(),
    });
  }
  return found.id;
}

async function ensureModel(admin: AdminClient, providerId: number): Promise<void> {
  const models = await admin.get(
    '/admin/provider-models',
    z.array(z.object({ id: z.int(), name: z.string(), backends: z.array(z.unknown()) })),
  );
  const found = models.find(({ name }) => name === demoModel);
  const body = {
    name: demoModel,
    description: 'answers without a vendor key',
    // Agents such as Codex always send tools that only their vendor can run.
    drop_unsupported_tools: true,
  };
  const { id } =
    found ??
    (await admin.send({ method: 'POST', path: '/admin/provider-models', body, answer: created }));
  if (found !== undefined && found.backends.length > 0) return;
  await admin.send({
    method: 'POST',
    path: `/admin/provider-models/${id}/backends`,
    body: { provider_id: providerId },
    answer: z.unknown(),
  });
}

async function isKeyGood(admin: AdminClient, id: number): Promise<boolean> {
  const keys = await admin.get(
    '/admin/keys',
    z.array(z.object({ id: z.int(), disabled: z.boolean() })),
  );
  return keys.some((key) => key.id === id && !key.disabled);
}

const demoPrincipal = 'demo';

async function ensurePrincipal(admin: AdminClient): Promise<number> {
  const principals = await admin.get('/admin/principals', named);
  const found = principals.find(({ name }) => name === demoPrincipal);
  const { id } =
    found ??
    (await admin.send({
      method: 'POST',
      path: '/admin/principals',
      body: { name: demoPrincipal },
      answer: created,
    }));
  await admin.send({
    method: 'POST',
    path: `/admin/principals/${id}/roles`,
    body: { role: 'inference' },
    answer: z.unknown(),
  });
  return id;
}
