// What the events of a command mean for the leases of providers: one that is no longer dynamic, or is gone, has none
// (specification, "States and transitions").

import type { RecordedEvent } from '../../events/catalogue.ts';
import type { Database } from '../db/pool.ts';
import { endLeases } from '../db/leases.ts';
import type { ProviderId } from '../lib/ids.ts';

type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];

/** In the transaction of the command. */
export async function keepLeaseRows(
  tx: Transaction,
  events: readonly RecordedEvent[],
): Promise<void> {
  const ended = events.flatMap((event): ProviderId[] => {
    if (event.type === 'ProviderDeleted') return [event.data.id];
    const isFixed = event.type === 'ProviderKindChanged' && event.data.kind !== 'dynamic';
    return isFixed ? [event.data.id] : [];
  });
  if (ended.length > 0) await endLeases(tx, ended);
}
