// The rules of change for the deployment's settings.

import { streamOf } from '../../events/catalogue.ts';
import { defaultSettings } from '../../projections/config/settings.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { vaultRefs } from '../../projections/config/vault-refs.ts';
import type { ModelId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';

export type SettingsCommand =
  | Readonly<{ type: 'SetFallbackModel'; modelId: ModelId | null }>
  /** Asks for a new version of the snapshot, whatever changed. */
  | Readonly<{ type: 'RebuildSnapshot' }>
  /** Says that every session ends; the sessions themselves are not in the log. */
  | Readonly<{ type: 'RevokeSessions' }>
  /** Says that the managed deployment was changed; the cluster holds it. */
  | Readonly<{
      type: 'RecordDeploymentPatch';
      patch: Readonly<Record<string, string | number | boolean | null | undefined>>;
      generation: number;
    }>
  /** Says that the vault was sealed anew: what is in it is not in the log. */
  | Readonly<{ type: 'RecordReseal'; keyId: string; items: number }>
  /** `subject` is the stream that an item belonged to. What is referred to again is left alone. */
  | Readonly<{
      type: 'EraseVaultItems';
      items: readonly Readonly<{ ref: string; subject: string }>[];
    }>;

const stream = streamOf('settings', 1);

export function decideSettings(state: ConfigState, command: SettingsCommand): Decision {
  switch (command.type) {
    case 'SetFallbackModel':
      return setFallbackModel(state, command.modelId);
    case 'RebuildSnapshot':
      return [{ stream, type: 'SnapshotRebuilt', data: {} }];
    case 'RevokeSessions':
      return [{ stream, type: 'SessionsRevoked', data: {} }];
    case 'RecordDeploymentPatch':
      return [{ stream, type: 'DeploymentPatched', data: deploymentPatched(command) }];
    case 'RecordReseal': {
      const { keyId, items } = command;
      return [{ stream, type: 'VaultResealed', data: { key_id: keyId, items } }];
    }
    case 'EraseVaultItems': {
      const unheld = command.items.filter(
        ({ ref, subject }) => !vaultRefs(state, subject).includes(ref),
      );
      const refs = unheld.map(({ ref }) => ref);
      return refs.length === 0 ? [] : [{ stream, type: 'VaultItemsErased', data: { refs } }];
    }
  }
}

/** Absent fields were not sent. */
function deploymentPatched({
  patch,
  generation,
}: Extract<SettingsCommand, { type: 'RecordDeploymentPatch' }>) {
  const sent = Object.entries(patch).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { patch: Object.fromEntries(sent), generation };
}

function setFallbackModel(state: ConfigState, modelId: ModelId | null): Decision {
  if (modelId !== null && !state.model.byId.has(modelId)) {
    return refuse('absent', `model ${modelId} does not exist`, { param: 'model_id' });
  }
  const held = state.settings.byId.get(1) ?? defaultSettings;
  if (held.fallbackModelId === modelId) return [];
  return [{ stream, type: 'FallbackModelSet', data: { model_id: modelId } }];
}
