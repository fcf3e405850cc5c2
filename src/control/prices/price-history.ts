// Lists the versions of a model's prices with who set them, from the log.

import type { Queryable } from '@databases/pg';

import { streamOf } from '../../../events/catalogue.ts';
import type { HistoryCommand } from '../../../projections/history-command.ts';
import { pricesSet } from '../../db/usage/ledger/price-versions.ts';
import type { Vault } from '../../db/vault.ts';
import type { ModelId } from '../../lib/ids.ts';
import { withPrices } from '../../usage/price-versions.ts';
import type { PriceVersion } from '../../usage/price-versions.ts';
import { commandsOf } from '../history/commands.ts';
import { pricesOf } from '../usage/ledger/price-book.ts';

/** `replaced` prices never apply: a later change took effect before them. */
export type PriceState = 'scheduled' | 'current' | 'past' | 'replaced';

export type HistoricPrices = PriceVersion &
  Readonly<{
    state: PriceState;
    /** The position of the event. */
    position: number;
    setAtMs: number;
    /** Null only if the audit log does not have the mutation. */
    command: HistoryCommand | null;
  }>;

/** Older versions are in the history of the model. */
export const shownVersionsMax = 50;

export async function priceHistory(
  sources: Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>,
  id: ModelId,
  nowMs: number,
): Promise<readonly HistoricPrices[]> {
  let applying: readonly PriceVersion[] = [];
  let after = 0;
  let versions: Omit<HistoricPrices & Readonly<{ txId: string }>, 'state' | 'command'>[] = [];
  for (const one of await pricesSet(sources.db, [streamOf('model', id)])) {
    const { event, version: inStream, atMs: setAtMs, position, txId } = one;
    if (event.type === 'ModelCreated') {
      [applying, after, versions] = [[], inStream - 1, []];
      continue;
    }
    applying = withPrices(applying, pricesOf(event.data), { setAtMs, after });
    const added = applying.at(-1);
    // The first version also prices what was used before it, from time 0 on.
    if (added === undefined) throw new Error(`prices at position ${position} have no version`);
    versions.push({ ...added, fromMs: Math.max(added.fromMs, setAtMs), position, setAtMs, txId });
  }
  const shown = versions.slice(-shownVersionsMax);
  const commands = await commandsOf(
    sources,
    shown.map(({ txId }) => txId),
  );
  const states = statesOf(shown, nowMs);
  return shown
    .map(({ txId, ...version }, index): HistoricPrices => {
      const command = commands.get(txId) ?? null;
      return Object.assign({ state: states[index] ?? 'past', command }, version);
    })
    .toReversed();
}

/** In the order in which they were set. */
export function statesOf(
  versions: readonly Pick<PriceVersion, 'fromMs'>[],
  nowMs: number,
): readonly PriceState[] {
  const isReplaced = ({ fromMs }: Pick<PriceVersion, 'fromMs'>, index: number): boolean =>
    versions.slice(index + 1).some((later) => later.fromMs <= fromMs);
  const current = versions.findLastIndex(
    (one, index) => one.fromMs <= nowMs && !isReplaced(one, index),
  );
  return versions.map((one, index) => {
    if (isReplaced(one, index)) return 'replaced';
    if (one.fromMs > nowMs) return 'scheduled';
    return index === current ? 'current' : 'past';
  });
}
