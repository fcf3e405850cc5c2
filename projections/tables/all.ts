// All projected tables of this release.

import { apiKeys } from './api-keys.ts';
import { auditLog } from './audit-log.ts';
import { budgets } from './budgets.ts';
import { limits } from './limits.ts';
import { models } from './models.ts';
import { principalRoles, principals } from './principals.ts';
import { providers } from './providers.ts';
import { rolePermissions, roles } from './roles.ts';
import { settings } from './settings.ts';
import { snapshotVersions } from './snapshot-versions.ts';
import type { EntityTable, JournalTable } from './table.ts';

export const entityTables: readonly EntityTable[] = [
  principals,
  principalRoles,
  limits,
  budgets,
  roles,
  rolePermissions,
  apiKeys,
  providers,
  models,
  settings,
];

export const journalTables: readonly JournalTable[] = [auditLog, snapshotVersions];
