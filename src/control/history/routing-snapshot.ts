// Builds the snapshot of a past state for questions about routing. Credentials are placeholders,
// because the vault may have erased them since. Assumes that all credentials are valid and all
// budgets are unspent.

import type { ConfigState } from '../../../projections/config/state.ts';
import { snapshotSchemaVersion } from '../../snapshot/schema.ts';
import type { Snapshot, SnapshotConfig } from '../../snapshot/schema.ts';

const standIn = '';

/** Must not serve requests. `config` is that of the state. */
export function routingSnapshotOf(state: ConfigState, config: SnapshotConfig): Snapshot {
  const refs = config.providers.flatMap((provider) => provider.credential_ref ?? []);
  return {
    schema: snapshotSchemaVersion,
    version: state.version,
    config_hash: '',
    log: { id: '', position: state.position, hash: state.hash },
    config,
    secrets: Object.fromEntries(refs.map((ref) => [ref, standIn])),
    classifier: { fast: null, refined: null },
    overlay: {
      seq: 0,
      budgets: [],
      tokens: config.providers.map(({ id }) => ({ provider_id: id, token: standIn })),
      dropped_providers: [],
    },
  };
}
