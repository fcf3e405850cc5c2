// The deployment's settings as the fold knows them: one entity, with id 1.

import type { SettingsEvent } from '../../events/settings.ts';
import type { ModelId } from '../../src/lib/ids.ts';

export type Settings = Readonly<{ id: 1; fallbackModelId: ModelId | null }>;

export const defaultSettings: Settings = { id: 1, fallbackModelId: null };

export function evolveSettings(settings: Settings | undefined, event: SettingsEvent): Settings {
  switch (event.type) {
    case 'FallbackModelSet':
      return { ...(settings ?? defaultSettings), fallbackModelId: event.data.model_id };
    case 'SnapshotRebuilt':
    case 'SessionsRevoked':
    case 'DeploymentPatched':
    case 'VaultResealed':
    case 'VaultItemsErased':
      return settings ?? defaultSettings;
  }
}
