// Sweeps providers: asks each for its model list once per interval, on one control process at a
// time. Makes the transitions of dynamic providers and stores the result of others (specification,
// "States and transitions").

import type { Queryable } from '@databases/pg';

import type { Provider } from '../../../projections/config/provider.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { readLeases, renewLeases } from '../../db/leases.ts';
import type { Lease } from '../../db/leases.ts';
import { restartAbsence, readProbes, writeProbes } from '../../db/provider-probes.ts';
import type { Probe } from '../../db/provider-probes.ts';
import { holdSweepTurn, takeSweepTurn } from '../../db/provider-sweep.ts';
import type { SweepTurn } from '../../db/provider-sweep.ts';
import { modelsOf } from '../../deciders/learning.ts';
import { isLapsed, isUnwatched } from '../../deciders/lease.ts';
import { decideSweep } from '../../deciders/provider-sweep.ts';
import type { Found, SweepProvider } from '../../deciders/provider-sweep.ts';
import type { Clock } from '../../lib/clock.ts';
import { eachInParallel } from '../../lib/parallel.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import { listed } from '../../lib/text.ts';
import { storedTargets } from './dial-target.ts';
import type { Outcome } from '../commands/execute.ts';
import type { ControlPlane } from '../plane.ts';
import type { Dial, DialTarget } from './verify-provider.ts';

export type SweepDependencies = Readonly<{
  plane: Pick<ControlPlane, 'db' | 'vault' | 'store' | 'execute' | 'refresh'>;
  dial: Dial;
  clock: Clock;
  newId: () => string;
  intervalMs: number;
  /** Aborting ends the sweep. The remaining providers wait for the next one. */
  signal: AbortSignal;
  log: Readonly<{ warn: (fields: Readonly<Record<string, unknown>>, message: string) => void }>;
}>;

export const sweptAtOnceMax = 32;

/**
 * A control process that is silent for this long loses the sweep. It renews its ownership three
 * times in this period.
 */
const holdMs = 30_000;
/** A fraction of the interval, because replicas poll at different times and timers are inexact. */
const restOfInterval = 0.9;

/** Sweeps if it is this process's turn. Throws if the database is unreachable. */
export async function sweepProviders(dependencies: SweepDependencies): Promise<void> {
  const { plane, clock, intervalMs } = dependencies;
  const now = clock();
  const turn = await takeSweepTurn(plane.db, {
    now: new Date(now),
    heldUntil: new Date(now + holdMs),
    notSince: new Date(now - restOfInterval * intervalMs),
  });
  if (turn === null) return;
  const hold = (ms: number): Promise<unknown> =>
    holdSweepTurn(plane.db, { begunAt: turn.begunAt, until: new Date(clock() + ms) });
  const holding = setInterval(() => void hold(holdMs).catch(() => undefined), holdMs / 3);
  try {
    await sweepAll(dependencies, turn);
  } finally {
    clearInterval(holding);
    await hold(0);
  }
}

/** A provider and its state at the start of its check. */
type Met = Readonly<{
  provider: Provider;
  target: DialTarget;
  lease: Lease | undefined;
  probe: Probe | undefined;
}>;

async function sweepAll(dependencies: SweepDependencies, turn: SweepTurn): Promise<void> {
  const { plane, clock, intervalMs, signal } = dependencies;
  await plane.refresh();
  const providers = [...plane.store.state().provider.byId.values()];
  const ids = providers.map(({ id }) => id);
  const now = clock();
  if (isUnwatched(turn.watchedUntil?.getTime() ?? null, { now, intervalMs })) {
    const since = turn.watchedUntil ?? new Date(0);
    const dynamic = providers.filter(({ kind }) => kind === 'dynamic').map(({ id }) => id);
    await renewLeases(plane.db, { since, now: new Date(now) });
    await restartAbsence(plane.db, { ids: dynamic, now: new Date(now) });
  }
  const leases = await readLeases(plane.db, ids);
  const probes = await readProbes(plane.db, ids);
  const targets = await storedTargets(plane, providers);
  const found: Probe[] = [];
  await eachInParallel([...targets], sweptAtOnceMax, async ([provider, target]) => {
    if (signal.aborted) return;
    const { id } = provider;
    const met = { provider, target, lease: leases.get(id), probe: probes.get(id) };
    const probe = await sweepOne(dependencies, met);
    if (probe !== null) found.push(probe);
  });
  const { byId } = plane.store.state().provider;
  await writeProbes(
    plane.db,
    found.filter(({ providerId }) => byId.has(providerId)),
  );
}

/** Null if there is nothing to store or the provider was deleted. */
async function sweepOne(dependencies: SweepDependencies, met: Met): Promise<Probe | null> {
  const { plane, clock, signal } = dependencies;
  const found = await find(dependencies, met);
  if (found === null || signal.aborted) return null;
  const { id } = met.provider;
  const absentSince = met.probe?.failingSince?.getTime() ?? null;
  const command = { type: 'SweepProvider', id, found, now: clock(), absentSince } as const;
  if (decideSweep(plane.store.state(), command).length > 0) {
    const isMade = await transition(dependencies, met, command);
    if (!isMade) return null;
  }
  const isThere = plane.store.state().provider.byId.has(id);
  return isThere ? probeOf(dependencies, met, found) : null;
}

/** Does not dial if the lease has lapsed: the agent's silence means that the host is gone. */
async function find(
  { dial, clock, signal }: SweepDependencies,
  { provider, target, lease }: Met,
): Promise<Found | null> {
  if (provider.kind === 'dynamic' && isLapsed(lease, clock())) return { failed: lapsed };
  const answer = await dial(target);
  if (signal.aborted) return null;
  if (!isRefusal(answer)) return { served: answer };
  return answer.refused === 'upstream' ? { failed: answer.message } : null;
}

const lapsed = 'the lease lapsed';
const heartbeatFirst = refuse('stale', 'the agent sent a heartbeat in the meantime');

/** False if the agent sent a heartbeat first. The provider is then left unchanged. */
async function transition(
  { plane, newId, log }: SweepDependencies,
  { provider, lease }: Met,
  command: SweepProvider,
): Promise<boolean> {
  const { found } = command;
  const wasLapsed = 'failed' in found && found.failed === lapsed;
  const outcome = await plane.execute(
    { command },
    {
      actor: { kind: 'system', principal_id: null },
      action: 'SWEEP',
      target: `/admin/providers/${provider.id}`,
      requestId: newId(),
      reason: null,
      precondition: async (state, tx) =>
        wasBroughtBack(state, provider) || (wasLapsed && (await isRefreshed(tx, lease)))
          ? heartbeatFirst
          : null,
    },
  );
  if (isRefusal(outcome)) {
    if (outcome.refused === 'stale') return false;
    throw new Error(`sweeping providers: ${outcome.message}`);
  }
  tell(log, provider, outcome);
  return true;
}

/**
 * True if the result is outdated, because the agent has had the provider dialled since, and it
 * answered.
 */
const wasBroughtBack = (state: ConfigState, met: Provider): boolean =>
  met.degraded !== null && state.provider.byId.get(met.id)?.degraded === null;

async function isRefreshed(tx: Queryable, lease: Lease | undefined): Promise<boolean> {
  if (lease === undefined) return false;
  const held = (await readLeases(tx, [lease.providerId])).get(lease.providerId);
  return held?.expiresAt.getTime() !== lease.expiresAt.getTime();
}

function tell(log: SweepDependencies['log'], { id, name }: Provider, { events }: Outcome): void {
  for (const { type, data } of events) {
    const fields = { provider_id: id, provider: name };
    if (type === 'ProviderDegraded') {
      log.warn({ ...fields, reason: data.reason }, 'a provider was taken out of rotation');
    } else if (type === 'ProviderRecovered') {
      log.warn(fields, 'a provider is back in rotation');
    } else if (type === 'ProviderDeleted') {
      log.warn(fields, 'a provider was absent for half an hour and was removed');
    }
  }
}

function probeOf(
  { plane, clock }: SweepDependencies,
  { provider, probe }: Met,
  found: Found,
): Probe {
  const now = new Date(clock());
  const lastSeenAt = 'served' in found ? now : (probe?.lastSeenAt ?? null);
  const reason = 'failed' in found ? found.failed : driftOf(modelsServed(plane, provider), found);
  const failingSince = reason === null ? null : (probe?.failingSince ?? now);
  return { providerId: provider.id, lastSeenAt, failingSince, reason };
}

const modelsServed = ({ store }: SweepDependencies['plane'], { id }: Provider): string[] =>
  modelsOf(store.state(), id).flatMap(({ backend }) => backend?.upstreamModel ?? []);

/** Null if the provider serves all its registered models. Additional models are not drift. */
function driftOf(
  registered: readonly string[],
  { served }: Extract<Found, { served: unknown }>,
): string | null {
  const ids = new Set(served.map(({ id }) => id));
  const missing = registered.filter((model) => !ids.has(model));
  return missing.length === 0 ? null : `no longer serves ${listed(missing.toSorted())}`;
}
