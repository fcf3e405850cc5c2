// The kinds of id, branded so that one kind cannot stand where another is meant. Ids are integers, given by the fold, never reused.

import { z } from 'zod';

const id = z.int().positive();

export const principalId = id.brand<'PrincipalId'>();
export type PrincipalId = z.output<typeof principalId>;

export const roleId = id.brand<'RoleId'>();
export type RoleId = z.output<typeof roleId>;

export const apiKeyId = id.brand<'ApiKeyId'>();
export type ApiKeyId = z.output<typeof apiKeyId>;

export const adminTokenId = id.brand<'AdminTokenId'>();
export type AdminTokenId = z.output<typeof adminTokenId>;

export const providerId = id.brand<'ProviderId'>();
export type ProviderId = z.output<typeof providerId>;

/** A provider model is its own link to its provider: the backend id that detach takes is this id too. */
export const modelId = id.brand<'ModelId'>();
export type ModelId = z.output<typeof modelId>;

export const frontendModelId = id.brand<'FrontendModelId'>();
export type FrontendModelId = z.output<typeof frontendModelId>;

export const ruleId = id.brand<'RuleId'>();
export type RuleId = z.output<typeof ruleId>;

/** Names a target of a rule, or of a frontend model's defaults: one series for both. */
export const targetId = id.brand<'TargetId'>();
export type TargetId = z.output<typeof targetId>;

export const poolId = id.brand<'PoolId'>();
export type PoolId = z.output<typeof poolId>;

export const poolMemberId = id.brand<'PoolMemberId'>();
export type PoolMemberId = z.output<typeof poolMemberId>;

export const promptClassId = id.brand<'PromptClassId'>();
export type PromptClassId = z.output<typeof promptClassId>;

/** Names an example within its class. */
export const promptExampleId = id.brand<'PromptExampleId'>();
export type PromptExampleId = z.output<typeof promptExampleId>;

export const mcpServerId = id.brand<'McpServerId'>();
export type McpServerId = z.output<typeof mcpServerId>;

export const agentId = id.brand<'AgentId'>();
export type AgentId = z.output<typeof agentId>;

export const changeRequestId = id.brand<'ChangeRequestId'>();
export type ChangeRequestId = z.output<typeof changeRequestId>;
