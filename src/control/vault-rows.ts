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

/** In the transaction of the commands, each with the states around it: what one brings, the next may let go of. */
export async function keepVaultRows(tx: Transaction, ...changes: readonly Change[]): Promise<void> {
  const [at] = changes.flatMap(({ events }) => events.map(({ recordedAt }) => recordedAt));
  const left = changes.flatMap(({ events, ...states }) =>
    refsLeft(states, new Set(events.map(({ stream }) => stream))),
  );
  if (left.length > 0 && at !== undefined) await supersedeItems(tx, left, new Date(at));
}
