// Looks for unusual spending: an hour that costs far more than the same hour on the days before.
// Sends one notification per hour, principal and currency, however many control planes look.

import type { Queryable } from '@databases/pg';

import { anomalousAgainst, baselineDays } from '../../limits/anomalies.ts';
import type { AnomalyLimits } from '../../limits/anomalies.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import {
  addAnomaly,
  allPrincipals,
  claimSpendWatch,
  forgetAnomalies,
  spentInHour,
  toldAnomalies,
} from '../../db/usage/spend-anomalies.ts';
import type { Spending } from '../../db/usage/spend-anomalies.ts';
import { toRfc3339 } from '../../lib/clock.ts';
import type { Clock } from '../../lib/clock.ts';
import { principalId } from '../../lib/ids.ts';
import type { NotificationOf } from '../../notifications/types.ts';
import type { ControlPlane } from '../plane.ts';
import type { NotifyIn } from '../webhooks/notify.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** All control planes together look this often. */
const everyMs = 5 * 60_000;
/**
 * The hour that is looked at contains this moment, so that each hour is looked at once more after
 * its end, with what proxies delivered late.
 */
const lagMs = everyMs + 60_000;

type Dependencies = Readonly<{
  plane: Pick<ControlPlane, 'reports'> & Readonly<{ store: Pick<ControlPlane['store'], 'state'> }>;
  notifyIn: NotifyIn;
  clock: Clock;
  /** 0 turns the notifications off. */
  factor: number;
  /** In whole units of each currency. */
  floor: number;
}>;

/** Throws if the database is unavailable. */
export function createSpendWatch(dependencies: Dependencies): () => Promise<void> {
  const { plane, notifyIn, clock, factor, floor } = dependencies;
  const { reports, store } = plane;
  return async () => {
    if (factor === 0) return;
    const now = clock();
    const claim = { at: new Date(now), due: new Date(now - everyMs) };
    const hour = new Date(Math.floor((now - lagMs) / hourMs) * hourMs);
    const limits = { factor, floorMicros: floor * 1_000_000 };
    // One transaction: if it fails, another control plane looks again.
    await reports.tx(async (tx) => {
      if (!(await claimSpendWatch(tx, claim))) return;
      const found = await anomaliesOf(tx, hour, limits);
      if (found.length === 0) return;
      await forgetAnomalies(tx, new Date(now - baselineDays * dayMs));
      for (const anomaly of found) {
        const { principal_id: id, currency } = anomaly.spending;
        if (!(await addAnomaly(tx, { hour, principalId: id, currency }))) continue;
        await notifyIn(tx, [notificationOf(anomaly, { hour, factor, state: store.state() })]);
      }
    });
  };
}

type Anomaly = Readonly<{ spending: Spending; median: number }>;

const keyOf = ({ principal_id: id, currency }: Omit<Spending, 'micros'>): string =>
  `${id} ${currency}`;

/** The earlier days are only read for those that reached the floor and were not notified of yet. */
async function anomaliesOf(
  db: Queryable,
  hour: Date,
  limits: AnomalyLimits,
): Promise<readonly Anomaly[]> {
  const { floorMicros: fromMicros } = limits;
  const told = new Set((await toldAnomalies(db, hour)).map(keyOf));
  const spent = await spentInHour(db, { hour, fromMicros, principals: null });
  const candidates = spent.filter((one) => !told.has(keyOf(one)));
  if (candidates.length === 0) return [];
  const principals = candidates.map((one) => one.principal_id).filter((id) => id !== allPrincipals);
  const before: Spending[] = [];
  for (let day = 1; day <= baselineDays; day++) {
    const earlier = new Date(hour.getTime() - day * dayMs);
    before.push(...(await spentInHour(db, { hour: earlier, fromMicros: null, principals })));
  }
  const byKey = Map.groupBy(before, keyOf);
  return candidates.flatMap((spending) => {
    const days = byKey.get(keyOf(spending)) ?? [];
    const earlier = { spent: spending.micros, before: days.map(({ micros }) => micros) };
    const median = anomalousAgainst(earlier, limits);
    return median === null ? [] : [{ spending, median }];
  });
}

type Surroundings = Readonly<{ hour: Date; factor: number; state: ConfigState }>;

function notificationOf(
  { spending, median }: Anomaly,
  { hour, factor, state }: Surroundings,
): NotificationOf<'spend_anomaly'> {
  const { principal_id: id, currency, micros: spent } = spending;
  const isAll = id === allPrincipals;
  const principal = isAll ? undefined : state.principal.byId.get(principalId.parse(id));
  return {
    type: 'spend_anomaly',
    data: {
      principal_id: isAll ? null : id,
      // The name of a person is in the vault and stays there.
      principal: principal?.name.text ?? null,
      currency,
      hour: toRfc3339(hour.getTime()),
      spent,
      median: Math.round(median),
      factor,
    },
  };
}
