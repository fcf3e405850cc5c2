// Describes a change with many parts, before or after it is made. Long lists are truncated; their
// counts are complete.

import type { Queryable } from '@databases/pg';

import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { diffPage } from '../../../projections/diff.ts';
import type { Vault } from '../../db/vault.ts';
import { shownDifferences } from './snapshots.ts';
import type { ShownDifference } from '../../../projections/shown-difference.ts';

export type ShownChange = Readonly<{
  event_count: number;
  events: readonly GwEvent[];
  difference_count: number;
  diff: readonly ShownDifference[];
}>;

export const listedMax = 1_000;

type Change = Readonly<{
  before: ConfigState;
  after: ConfigState;
  events: readonly GwEvent[];
}>;

export async function shownChange(
  sources: Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>,
  { before, after, events }: Change,
): Promise<ShownChange> {
  const { total, differences } = diffPage(before, after, { offset: 0, limit: listedMax });
  return {
    event_count: events.length,
    events: events.slice(0, listedMax),
    difference_count: total,
    diff: await shownDifferences(sources, differences),
  };
}
