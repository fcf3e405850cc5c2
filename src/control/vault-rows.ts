// What the events of a command mean for the vault: items that it let go of are superseded, and their retention begins.

import type { RecordedEvent } from '../../events/catalogue.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { refsLeft } from '../../projections/config/vault-refs.ts';
import type { Database } from '../db/pool.ts';
import { supersedeItems } from '../db/vault-retention.ts';

type Transaction = Parameters<Parameters<Database['tx']>[0]>[0];
type Change = Readonly<{
  before: ConfigState;
  after: ConfigState;
  events: readonly RecordedEvent[];
}>;

/** In the transaction of the command. */
export async function keepVaultRows(
  tx: Transaction,
  { before, after, events }: Change,
): Promise<void> {
  const left = refsLeft({ before, after }, new Set(events.map(({ stream }) => stream)));
  const [first] = events;
  if (left.length === 0 || first === undefined) return;
  await supersedeItems(tx, left, new Date(first.recordedAt));
}
