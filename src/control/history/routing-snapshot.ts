// The snapshot of a state of the past, for questions of routing: its configuration with a stand-in for every credential, which the
// vault may have erased since. Whoever has one is taken to have a good one, and nothing is taken to be spent of budgets.

import type { ConfigState } from '../../../projections/config/state.ts';
import { snapshotSchemaVersion } from '../../snapshot/schema.ts';
import type { Snapshot, SnapshotConfig } from '../../snapshot/schema.ts';

const standIn = '';

/** To be asked where a request would go; never to be served. `config` is that of the state. */
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
