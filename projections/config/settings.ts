// Folds the events of the deployment's settings: one entity, with id 1.

import type { SettingsEvent } from '../../events/settings.ts';
import type { ModelId } from '../../src/lib/ids.ts';
import type { ChangeKind } from '../../src/lib/vocabulary.ts';

export type Settings = Readonly<{
  id: 1;
  fallbackModelId: ModelId | null;
  /** 64 hex digits; null if no key signs checkpoints. */
  auditKey: string | null;
  /** The number of times that the log continued after a loss of events. */
  epoch: number;
  changePolicy: readonly ChangeKind[];
}>;

export const defaultSettings: Settings = {
  id: 1,
  fallbackModelId: null,
  auditKey: null,
  epoch: 0,
  changePolicy: [],
};

export function evolveSettings(settings: Settings | undefined, event: SettingsEvent): Settings {
  switch (event.type) {
    case 'FallbackModelSet':
      return { ...(settings ?? defaultSettings), fallbackModelId: event.data.model_id };
    case 'AuditKeySet':
      return { ...(settings ?? defaultSettings), auditKey: event.data.public_key };
    case 'LogEpochStarted':
      return { ...(settings ?? defaultSettings), epoch: event.data.epoch };
    case 'ChangePolicySet':
      return { ...(settings ?? defaultSettings), changePolicy: event.data.kinds };
    case 'ConfigurationApplied':
    case 'SnapshotRebuilt':
    case 'SessionsRevoked':
    case 'DeploymentPatched':
    case 'VaultResealed':
    case 'VaultItemsErased':
    case 'UsageRowsDropped':
    case 'UsageReconciled':
    case 'UsageRepriced':
    case 'UsageArchived':
      return settings ?? defaultSettings;
  }
}
