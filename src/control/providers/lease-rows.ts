// Deletes leases and sweep results of providers that a command deletes or makes non-dynamic
// (specification, "States and transitions").

import type { RecordedEvent } from '../../../events/catalogue.ts';
import type { Database } from '../../db/pool.ts';
import { endLeases } from '../../db/leases.ts';
import { forgetProbes } from '../../db/provider-probes.ts';
import type { ProviderId } from '../../lib/ids.ts';

type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

export async function keepLeaseRows(
  tx: Transaction,
  events: readonly RecordedEvent[],
): Promise<void> {
  const ended = events.flatMap((event): ProviderId[] => {
    if (event.type === 'ProviderDeleted') return [event.data.id];
    const isFixed = event.type === 'ProviderKindChanged' && event.data.kind !== 'dynamic';
    return isFixed ? [event.data.id] : [];
  });
  if (ended.length === 0) return;
  await endLeases(tx, ended);
  await forgetProbes(tx, ended);
}
