// Updates the vault for the events of a command. Items no longer referred to are superseded, which
// starts their retention. Items that an event erases are erased. A change request's calls are
// erased when it ends.

import { parseStream } from '../../../events/catalogue.ts';
import type { RecordedEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refsLeft } from '../../../projections/config/vault-refs.ts';
import type { Database } from '../../db/pool.ts';
import { eraseItems, supersedeItems } from '../../db/vault-retention.ts';

type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];
type Change = Readonly<{
  before: ConfigState;
  after: ConfigState;
  events: readonly RecordedEvent[];
}>;

export async function keepVaultRows(
  tx: Transaction,
  { before, after, events }: Change,
): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const at = new Date(first.recordedAt);
  const streams = Map.groupBy(new Set(events.map(({ stream }) => stream)), isRequest);
  const leftBy = (those: readonly string[] = []) => refsLeft({ before, after }, new Set(those));
  const superseded = leftBy(streams.get(false));
  if (superseded.length > 0) await supersedeItems(tx, superseded, at);
  const erased = [...leftBy(streams.get(true)), ...erasedRefs(events)];
  if (erased.length > 0) await eraseItems(tx, erased, at);
}

export const erasedRefs = (events: readonly RecordedEvent[]): readonly string[] =>
  events.flatMap(({ type, data }) => (type === 'VaultItemsErased' ? data.refs : []));

const isRequest = (stream: string): boolean => parseStream(stream).noun === 'change_request';
