// The rules of change for the deployment's settings.

import { streamOf } from '../../events/catalogue.ts';
import { defaultSettings } from '../../projections/config/settings.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { ModelId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';

export type SettingsCommand = Readonly<{ type: 'SetFallbackModel'; modelId: ModelId | null }>;

export function decideSettings(state: ConfigState, { modelId }: SettingsCommand): Decision {
  if (modelId !== null && !state.model.byId.has(modelId)) {
    return refuse('absent', `model ${modelId} does not exist`, { param: 'model_id' });
  }
  const held = state.settings.byId.get(1) ?? defaultSettings;
  if (held.fallbackModelId === modelId) return [];
  return [
    { stream: streamOf('settings', 1), type: 'FallbackModelSet', data: { model_id: modelId } },
  ];
}
