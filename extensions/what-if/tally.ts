// Totals many compared requests: counts and costs, overall and by principal, model and move. Lists
// contain the entries that change most; the rest is summed.

import type { UsageRecord } from '../../src/db/usage/usage-events.ts';
import type { Change, Comparison, Destination } from './compare-request.ts';
import { createSum } from './sum.ts';
import type { Counts, Sum } from './sum.ts';

type Listed<Row> = Readonly<{ first: readonly Row[]; rest: Counts | null }>;

export type Move = Readonly<{ from: string; to: string; requests: number }>;
export type Untold = Readonly<{ what: string; requests: number }>;

type ShownDestination = Omit<Destination, 'ruleId'> & Readonly<{ rule_id: number | null }>;

export type ChangedRequest = Readonly<{
  usage_id: string;
  at: string;
  principal_id: number;
  principal: string;
  model: string;
  change: Change;
  /** Null if it depends on unrecorded facts. */
  before: ShownDestination | null;
  after: ShownDestination | null;
  /** Micro-units. Null if unknown. */
  cost_before_micros: number | null;
  cost_after_micros: number | null;
}>;

export type Summary = Readonly<{
  total: Counts;
  by_principal: Listed<Counts & Readonly<{ principal_id: number; principal: string }>>;
  /** By the requested name. */
  by_model: Listed<Counts & Readonly<{ model: string }>>;
  moves: Readonly<{ first: readonly Move[]; rest: number }>;
  not_told: Readonly<{ first: readonly Untold[]; rest: number }>;
  changed: readonly ChangedRequest[];
}>;

export type Tally = Readonly<{
  add: (row: UsageRecord, comparison: Comparison) => void;
  summary: () => Summary;
}>;

/** Except the list of changed requests. */
const listedMax = 50;

export function createTally(changedMax: number): Tally {
  const total = createSum();
  const principals = new Map<number, Readonly<{ name: string; sum: Sum }>>();
  const models = new Map<string, Sum>();
  const moves = new Map<string, Readonly<{ from: string; to: string; sum: Sum }>>();
  const untold = new Map<string, Sum>();
  const changed: ChangedRequest[] = [];

  return {
    add: (row, comparison) => {
      const { change, before, after, untold: why } = comparison;
      const principal = heldIn(principals, row.principal_id, () => ({
        name: row.principal,
        sum: createSum(),
      }));
      const sums = [total, principal.sum, heldIn(models, row.virtual_model, createSum)];
      if (change === null) sums.push(heldIn(untold, why.toSorted().join(', '), createSum));
      if (change !== null && change !== 'same') {
        const [from, to] = [nameOf(before), nameOf(after)];
        const made = () => ({ from, to, sum: createSum() });
        sums.push(heldIn(moves, JSON.stringify([from, to]), made).sum);
        if (changed.length < changedMax) changed.push(toChanged(row, comparison, change));
      }
      for (const sum of sums) sum.add(comparison);
    },
    summary: () => ({
      total: total.counts(),
      by_principal: listed(
        [...principals],
        ([, { sum }]) => sum,
        ([id, { name, sum }]) => ({
          principal_id: id,
          principal: name,
          ...sum.counts(),
        }),
      ),
      by_model: listed(
        [...models],
        ([, sum]) => sum,
        ([model, sum]) => ({
          model,
          ...sum.counts(),
        }),
      ),
      moves: counted(
        [...moves.values()].map(({ from, to, sum }) => ({
          from,
          to,
          requests: sum.raw().requests,
        })),
      ),
      not_told: counted([...untold].map(([what, sum]) => ({ what, requests: sum.raw().requests }))),
      changed,
    }),
  };
}

function heldIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const held = map.get(key);
  if (held !== undefined) return held;
  const made = make();
  map.set(key, made);
  return made;
}

function listed<Entry, Row>(
  entries: readonly Entry[],
  sumOf: (entry: Entry) => Sum,
  toRow: (entry: Entry) => Row,
): Listed<Row> {
  const changes = (entry: Entry): number => {
    const { requests, same } = sumOf(entry).raw();
    return requests - same;
  };
  const sorted = entries.toSorted(
    (a, b) => changes(b) - changes(a) || sumOf(b).raw().requests - sumOf(a).raw().requests,
  );
  const others = sorted.slice(listedMax);
  const rest = createSum();
  for (const entry of others) rest.merge(sumOf(entry));
  return {
    first: sorted.slice(0, listedMax).map(toRow),
    rest: others.length === 0 ? null : rest.counts(),
  };
}

/** Most frequent first. */
function counted<Row extends Readonly<{ requests: number }>>(rows: readonly Row[]) {
  const sorted = rows.toSorted((a, b) => b.requests - a.requests);
  const rest = sorted.slice(listedMax).reduce((sum, { requests }) => sum + requests, 0);
  return { first: sorted.slice(0, listedMax), rest };
}

function nameOf(destination: Destination | null): string {
  if (destination === null) return 'not told';
  const { denied, to } = destination;
  if (denied !== null || to === null) return `denied ${denied?.status ?? ''}`.trimEnd();
  return to.kind === 'pool' ? `pool ${to.name}` : to.name;
}

const toChanged = (
  row: UsageRecord,
  { before, after, cost }: Comparison,
  change: Change,
): ChangedRequest => ({
  usage_id: row.id,
  at: row.at.toISOString(),
  principal_id: row.principal_id,
  principal: row.principal,
  model: row.virtual_model,
  change,
  before: shown(before),
  after: shown(after),
  cost_before_micros: cost.before,
  cost_after_micros: cost.after,
});

function shown(destination: Destination | null): ShownDestination | null {
  if (destination === null) return null;
  const { ruleId: rule_id, ...rest } = destination;
  return { ...rest, rule_id };
}
