// Decides which models wildcard grants do not open: models learned from a registered host that
// nothing made by an operator references (Authentication rule 7). A closed model needs a grant of
// its exact name.

import type { ModelId } from '../lib/ids.ts';
import type { SnapshotConfig, SnapshotTarget } from './schema.ts';

type Pointing = Pick<SnapshotConfig, 'models' | 'frontend_models' | 'pools' | 'settings'>;

export function closedModels(config: Pointing): ReadonlySet<ModelId> {
  const closed = new Set(config.models.flatMap(({ id, learned }) => (learned ? [id] : [])));
  if (closed.size === 0) return closed;
  const open = (ids: readonly Pick<SnapshotTarget, 'model_id'>[]): void => {
    for (const { model_id: id } of ids) if (id !== null) closed.delete(id);
  };
  for (const { rules, default_targets: defaults } of config.frontend_models) {
    open(defaults);
    for (const { targets } of rules) open(targets);
  }
  for (const { members } of config.pools) open(members);
  open([{ model_id: config.settings.fallback_model_id }]);
  return closed;
}
