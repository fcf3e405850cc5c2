// Builds events and values for examples, one short call each.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { Endpoint, StoredCredential } from '../../../events/provider.ts';
import {
  adminTokenId,
  apiKeyId,
  modelId,
  principalId,
  providerId,
  roleId,
} from '../../../src/lib/ids.ts';
import type {
  BudgetCalendar,
  BudgetWindow,
  ProviderKind,
  Verb,
} from '../../../src/lib/vocabulary.ts';
import { testRef } from './test-log.ts';

/** Equal names have equal fingerprints, as in the vault. */
export const plainName = (text: string): StoredName => ({ text, ref: null, fingerprint: text });
export const vaultedName = (text: string, ref: number): StoredName => ({
  text: null,
  ref: testRef(ref),
  fingerprint: text,
});

export const endpointAt = (api_base: string, change: Partial<Endpoint> = {}): Endpoint => ({
  api_base,
  protocol: 'openai',
  auth_header: 'authorization',
  auth_scheme: 'Bearer',
  ...change,
});

/** Equal texts have equal fingerprints. Each `ref` names a different vault item. */
export const credentialOf = (text: string, ref = 1): StoredCredential => ({
  kind: 'static',
  ref: testRef(ref),
  fingerprint: text,
});

export function principalCreated(number: number, name: StoredName): GwEvent {
  const id = principalId.parse(number);
  const kind = name.text === null ? 'user' : 'service_account';
  return {
    stream: `principal-${number}`,
    type: 'PrincipalCreated',
    data: { id, kind, name, email_ref: null },
  };
}

export const principalDeleted = (number: number): GwEvent => ({
  stream: `principal-${number}`,
  type: 'PrincipalDeleted',
  data: { id: principalId.parse(number) },
});

/** Limits on requests and tokens per minute. */
export const limitsSet = (
  principal: number,
  requests: number | null,
  tokens: number | null = null,
): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalLimitsSet',
  data: {
    id: principalId.parse(principal),
    requests_per_min: requests,
    tokens_per_min: tokens,
  },
});

export const limitsCleared = (principal: number): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalLimitsCleared',
  data: { id: principalId.parse(principal) },
});

type BudgetFacts = {
  tokens?: number;
  costMicros?: number;
  window?: BudgetWindow;
  initialTokensUsed?: number;
  calendar?: BudgetCalendar;
  alertAtPercent?: readonly number[];
};

export const budgetSet = (principal: number, facts: BudgetFacts): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalBudgetSet',
  data: {
    id: principalId.parse(principal),
    tokens_total: facts.tokens ?? null,
    cost_total_micros: facts.costMicros ?? null,
    window: facts.window ?? 'monthly',
    initial_tokens_used: facts.initialTokensUsed ?? 0,
    ...(facts.calendar && { calendar: facts.calendar }),
    ...(facts.alertAtPercent && { alert_at_percent: facts.alertAtPercent }),
  },
});

/** More tokens from 23 November 2026, 12:00 UTC until 1 December. */
export const budgetIncreased = (principal: number, number: number, tokens: number): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalBudgetIncreased',
  data: {
    id: principalId.parse(principal),
    increase_id: number,
    tokens,
    cost_micros: null,
    reason_ref: testRef(1),
    starts_at: '2026-11-23T12:00:00.000Z',
    ends_at: '2026-12-01T00:00:00.000Z',
  },
});

export const budgetIncreaseEnded = (principal: number, number: number): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalBudgetIncreaseEnded',
  data: { id: principalId.parse(principal), increase_id: number },
});

export const budgetCleared = (principal: number): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalBudgetCleared',
  data: { id: principalId.parse(principal) },
});

export const roleGranted = (principal: number, role: number): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalRoleGranted',
  data: { id: principalId.parse(principal), role_id: roleId.parse(role) },
});

export const roleRevoked = (principal: number, role: number): GwEvent => ({
  stream: `principal-${principal}`,
  type: 'PrincipalRoleRevoked',
  data: { id: principalId.parse(principal), role_id: roleId.parse(role) },
});

export const roleCreated = (number: number, name: string): GwEvent => ({
  stream: `role-${number}`,
  type: 'RoleCreated',
  data: { id: roleId.parse(number), name, description: null },
});

export const roleDeleted = (number: number): GwEvent => ({
  stream: `role-${number}`,
  type: 'RoleDeleted',
  data: { id: roleId.parse(number) },
});

export const permissionGranted = (role: number, verb: Verb, resource: string): GwEvent => ({
  stream: `role-${role}`,
  type: 'RolePermissionGranted',
  data: { id: roleId.parse(role), verb, resource },
});

export const permissionRevoked = (role: number, verb: Verb, resource: string): GwEvent => ({
  stream: `role-${role}`,
  type: 'RolePermissionRevoked',
  data: { id: roleId.parse(role), verb, resource },
});

export const keyCreated = (number: number, principal: number): GwEvent => ({
  stream: `api_key-${number}`,
  type: 'ApiKeyCreated',
  data: {
    id: apiKeyId.parse(number),
    principal_id: principalId.parse(principal),
    name: `key ${number}`,
    prefix: 'gw-abcdefghi',
    verifier_ref: testRef(900 + number),
    expires_at: null,
  },
});

export const tokenCreated = (number: number, principal: number): GwEvent => ({
  stream: `admin_token-${number}`,
  type: 'AdminTokenCreated',
  data: {
    id: adminTokenId.parse(number),
    principal_id: principalId.parse(principal),
    name: `token ${number}`,
    prefix: 'gwt-abcdefgh',
    verifier_ref: testRef(800 + number),
    permissions: ['usage:read'],
    expires_at: '2030-01-02T03:04:05Z',
  },
});

export const tokenRevoked = (number: number): GwEvent => ({
  stream: `admin_token-${number}`,
  type: 'AdminTokenRevoked',
  data: { id: adminTokenId.parse(number) },
});

export const tokenDeleted = (number: number): GwEvent => ({
  stream: `admin_token-${number}`,
  type: 'AdminTokenDeleted',
  data: { id: adminTokenId.parse(number) },
});

export const keyRevoked = (number: number): GwEvent => ({
  stream: `api_key-${number}`,
  type: 'ApiKeyRevoked',
  data: { id: apiKeyId.parse(number) },
});

export const keyDeleted = (number: number): GwEvent => ({
  stream: `api_key-${number}`,
  type: 'ApiKeyDeleted',
  data: { id: apiKeyId.parse(number) },
});

type ProviderFacts = {
  endpoint: Endpoint;
  credential?: StoredCredential | null;
  kind?: ProviderKind;
};

export const providerCreated = (number: number, name: string, facts: ProviderFacts): GwEvent => ({
  stream: `provider-${number}`,
  type: 'ProviderCreated',
  data: {
    id: providerId.parse(number),
    name,
    kind: facts.kind ?? 'static',
    catalogue_key: null,
    endpoint: facts.endpoint,
    credential: facts.credential ?? null,
  },
});

export const providerDeleted = (number: number): GwEvent => ({
  stream: `provider-${number}`,
  type: 'ProviderDeleted',
  data: { id: providerId.parse(number) },
});

export const modelCreated = (number: number, name: string): GwEvent => ({
  stream: `model-${number}`,
  type: 'ModelCreated',
  data: { id: modelId.parse(number), name, description: null },
});

export const modelDeleted = (number: number): GwEvent => ({
  stream: `model-${number}`,
  type: 'ModelDeleted',
  data: { id: modelId.parse(number) },
});

export const backendAttached = (
  model: number,
  provider: number,
  upstreamModel: string,
): GwEvent => ({
  stream: `model-${model}`,
  type: 'ModelBackendAttached',
  data: {
    id: modelId.parse(model),
    provider_id: providerId.parse(provider),
    upstream_model: upstreamModel,
    default_max_tokens: null,
  },
});

export const fallbackSet = (model: number | null): GwEvent => ({
  stream: 'settings-1',
  type: 'FallbackModelSet',
  data: { model_id: model === null ? null : modelId.parse(model) },
});
