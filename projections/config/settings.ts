// The deployment's settings as the fold knows them: one entity, with id 1.

import type { SettingsEvent } from '../../events/settings.ts';
import type { ModelId } from '../../src/lib/ids.ts';
import type { ChangeKind } from '../../src/lib/vocabulary.ts';

export type Settings = Readonly<{
  id: 1;
  fallbackModelId: ModelId | null;
  /** Signs the checkpoints of the log, 64 hex digits; null when none are signed. */
  auditKey: string | null;
  /** How often the log went on behind a loss. */
  epoch: number;
  /** The kinds of change that need an approved request. */
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
      return settings ?? defaultSettings;
  }
}
