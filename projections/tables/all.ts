// Lists all projected tables of this release.

import { a2aAgents } from './a2a-agents.ts';
import { adminTokens } from './admin-tokens.ts';
import { apiKeys } from './api-keys.ts';
import { auditLog } from './audit-log.ts';
import { budgets } from './budgets.ts';
import { changeRequests } from './change-requests.ts';
import { limits } from './limits.ts';
import { frontendModels } from './frontend-models.ts';
import { mcpServers } from './mcp-servers.ts';
import { models } from './models.ts';
import { poolMembers } from './pool-members.ts';
import { pools } from './pools.ts';
import { principalRoles, principals } from './principals.ts';
import { promptClasses, promptClassRefines, promptExamples } from './prompt-classes.ts';
import { providers } from './providers.ts';
import { rolePermissions, roles } from './roles.ts';
import { ruleTargets } from './rule-targets.ts';
import { rules } from './rules.ts';
import { settings } from './settings.ts';
import { snapshotVersions } from './snapshot-versions.ts';
import type { EntityTable, JournalTable } from './table.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

export const entityTables: readonly EntityTable[] = [
  principals,
  principalRoles,
  limits,
  budgets,
  roles,
  rolePermissions,
  apiKeys,
  adminTokens,
  providers,
  models,
  frontendModels,
  rules,
  ruleTargets,
  pools,
  poolMembers,
  promptClasses,
  promptClassRefines,
  promptExamples,
  mcpServers,
  a2aAgents,
  webhookEndpoints,
  settings,
  changeRequests,
];

export const journalTables: readonly JournalTable[] = [auditLog, snapshotVersions];
