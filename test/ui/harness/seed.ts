// Fills a control plane with the data of a company after some months: providers, models, frontend
// models with rules, users and services with their keys, and two weeks of usage. The data is the
// same each time.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';

import { roleNamed } from '../../../projections/config/find.ts';
import { appendCommand } from '../../../bench/control/fill.ts';
import type { Fact } from '../../../bench/control/fill.ts';
import { mintApiKey } from '../../../src/control/access/api-key.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import type { Secret } from '../../../src/db/vault.ts';
import { apiKeyId, principalId, providerId } from '../../../src/lib/ids.ts';
import type { testAdministrator } from '../../harness/admin/admin.ts';
import { chatRules, pools, promptClasses } from './company-routing.ts';
import { frontendModels, models, providers } from './company.ts';
import { usageOf } from './traffic.ts';

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

export const size = { principals: 300, keys: 2_000, days: 14 } as const;

const commandEvents = 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

export async function seedCompany(admin: Administrator): Promise<void> {
  const { plane } = admin;
  await append(plane, providerFacts(plane));
  for (const model of models) {
    const { provider, ...record } = model;
    const made = await make(admin, 'POST', '/admin/provider-models', record);
    const backend = { provider_id: provider + 1, upstream_model: record.name };
    await make(admin, 'POST', `/admin/provider-models/${made}/backends`, backend);
  }
  await append(plane, peopleFacts(plane));
  await seedRouting(admin);
  for (let id = 2; id <= 20; id += 1) {
    await make(admin, 'PUT', `/admin/principals/${id}/limits`, { requests_per_min: 60 * id });
    await make(admin, 'PUT', `/admin/principals/${id}/budget`, {
      window: 'monthly',
      cost_total_micros: id * 50_000_000,
    });
  }
  await seedUsage(admin);
  await seedTokens(admin);
}

async function seedTokens(admin: Administrator): Promise<void> {
  const terraform = { principal_id: 2, permissions: ['usage:read', 'config:write'] };
  await make(admin, 'POST', '/admin/tokens', { ...terraform, name: 'terraform' });
  await make(admin, 'POST', '/admin/tokens', { ...terraform, name: 'nightly report' });
  await make(admin, 'DELETE', '/admin/tokens/2', undefined);
}

async function seedRouting(admin: Administrator): Promise<void> {
  for (const pool of pools) await make(admin, 'POST', '/admin/model-pools', pool);
  for (const one of promptClasses) await make(admin, 'POST', '/admin/prompt-classes', one);
  const ids = new Map<string, string>();
  for (const { rules, ...record } of frontendModels) {
    const made = await make(admin, 'POST', '/admin/frontend-models', record);
    ids.set(record.name, made);
    for (const rule of rules) {
      await make(admin, 'POST', `/admin/frontend-models/${made}/rules`, rule);
    }
  }
  for (const rule of chatRules(Number(ids.get('code')))) {
    await make(admin, 'POST', `/admin/frontend-models/${ids.get('chat')}/rules`, rule);
  }
  await make(admin, 'PUT', '/admin/fallback-model', { model_id: 2 });
}

async function make(
  { send }: Administrator,
  method: string,
  path: string,
  body: unknown,
): Promise<string> {
  const answer = await send(method, path, body);
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  return String(Reflect.get(Object(answer.body), 'id'));
}

async function append(plane: ControlPlane, facts: readonly Fact[]): Promise<void> {
  for (let done = 0; done < facts.length; done += commandEvents) {
    await appendCommand(plane, facts.slice(done, done + commandEvents));
  }
}

/** Not through the API, which would connect to them. */
const providerFacts = ({ vault }: ControlPlane): readonly Fact[] =>
  providers.map(({ name, api_base, protocol, catalogue_key }, index) => {
    const number = index + 1;
    const plaintext = `sk-test-${name}`;
    const secret: Secret = { ref: randomUUID(), class: 'credential', plaintext };
    return {
      secret,
      event: {
        stream: `provider-${number}`,
        type: 'ProviderCreated',
        data: {
          id: providerId.parse(number),
          name,
          kind: catalogue_key === null ? 'static' : 'cloud',
          catalogue_key,
          endpoint: { api_base, protocol, auth_header: 'authorization', auth_scheme: 'Bearer' },
          credential: {
            kind: 'static',
            ref: secret.ref,
            fingerprint: vault.fingerprint(plaintext),
          },
        },
      },
    };
  });

const teams = ['search', 'support', 'billing', 'research', 'mobile', 'data', 'legal', 'growth'];

function peopleFacts({ vault, store }: ControlPlane): readonly Fact[] {
  const before = store.state().principal.lastId;
  const role = roleNamed(store.state(), 'inference');
  assert.ok(role !== undefined);
  const people = Array.from({ length: size.principals }, (_, index): Fact[] => {
    const id = principalId.parse(before + index + 1);
    const text = `${teams[index % teams.length]}-service-${index + 1}`;
    const name = { text, ref: null, fingerprint: vault.fingerprint(text) };
    const stream = `principal-${id}`;
    const created = { id, kind: 'service_account', name, email_ref: null } as const;
    return [
      { event: { stream, type: 'PrincipalCreated', data: created } },
      { event: { stream, type: 'PrincipalRoleGranted', data: { id, role_id: role.id } } },
    ];
  }).flat();
  return [...people, ...keyFacts({ store }, { count: size.keys, firstPrincipal: before + 1 })];
}

type Keys = Readonly<{ count: number; firstPrincipal: number }>;

function keyFacts(
  { store }: Pick<ControlPlane, 'store'>,
  { count, firstPrincipal }: Keys,
): readonly Fact[] {
  const { lastId } = store.state().api_key;
  return Array.from({ length: count }, (_, index): Fact => {
    const id = apiKeyId.parse(lastId + index + 1);
    const { prefix, verifier } = mintApiKey(createHash('sha256').update(`key ${id}`).digest());
    const secret: Secret = { ref: randomUUID(), class: 'key_verifier', plaintext: verifier };
    const data = {
      id,
      principal_id: principalId.parse(firstPrincipal + (index % size.principals)),
      name: `key-${id}`,
      prefix,
      verifier_ref: secret.ref,
      expires_at: null,
    };
    return { event: { stream: `api_key-${id}`, type: 'ApiKeyCreated', data }, secret };
  });
}

/** Adds records until there are this many. */
export async function fillKeys(plane: ControlPlane, count: number): Promise<void> {
  const missing = count - plane.store.state().api_key.byId.size;
  await append(plane, keyFacts(plane, { count: missing, firstPrincipal: 2 }));
}

const batchEvents = 1_000;

async function seedUsage({ admin: { needs } }: Administrator): Promise<void> {
  const events = usageOf({ untilMs: Date.now(), sinceMs: Date.now() - size.days * dayMs });
  for (let done = 0; done < events.length; done += batchEvents) {
    const batch = events.slice(done, done + batchEvents);
    await needs.machines.takeUsage({ replica: 'gateway-1', events: batch });
  }
}
