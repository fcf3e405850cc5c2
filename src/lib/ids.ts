// Defines the kinds of id as branded integers, so that they cannot be confused. The fold assigns
// ids and never reuses them.

import { z } from 'zod';

export const entityId = z.int().positive();

export const principalId = entityId.brand<'PrincipalId'>();
export type PrincipalId = z.output<typeof principalId>;

export const roleId = entityId.brand<'RoleId'>();
export type RoleId = z.output<typeof roleId>;

export const apiKeyId = entityId.brand<'ApiKeyId'>();
export type ApiKeyId = z.output<typeof apiKeyId>;

export const adminTokenId = entityId.brand<'AdminTokenId'>();
export type AdminTokenId = z.output<typeof adminTokenId>;

export const providerId = entityId.brand<'ProviderId'>();
export type ProviderId = z.output<typeof providerId>;

/** The id of a provider model is also that of its backend. */
export const modelId = entityId.brand<'ModelId'>();
export type ModelId = z.output<typeof modelId>;

export const frontendModelId = entityId.brand<'FrontendModelId'>();
export type FrontendModelId = z.output<typeof frontendModelId>;

export const ruleId = entityId.brand<'RuleId'>();
export type RuleId = z.output<typeof ruleId>;

/** Identifies a target of a rule or of a frontend model's defaults. Both share one sequence. */
export const targetId = entityId.brand<'TargetId'>();
export type TargetId = z.output<typeof targetId>;

export const poolId = entityId.brand<'PoolId'>();
export type PoolId = z.output<typeof poolId>;

export const poolMemberId = entityId.brand<'PoolMemberId'>();
export type PoolMemberId = z.output<typeof poolMemberId>;

export const promptClassId = entityId.brand<'PromptClassId'>();
export type PromptClassId = z.output<typeof promptClassId>;

/** Identifies an example within its class. */
export const promptExampleId = entityId.brand<'PromptExampleId'>();
export type PromptExampleId = z.output<typeof promptExampleId>;

export const changeRequestId = entityId.brand<'ChangeRequestId'>();
export type ChangeRequestId = z.output<typeof changeRequestId>;
