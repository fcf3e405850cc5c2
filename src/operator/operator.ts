// Runs the operator: while it holds the Lease, it reconciles every managed deployment of its namespace after each change and periodically.

import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { parseNamed } from '../lib/plain-issue.ts';
import { withCluster } from '../kubernetes/client.ts';
import type { ClusterClient } from '../kubernetes/client.ts';
import { deploymentPath, deploymentResource } from '../kubernetes/gw-deployment.ts';
import type { DeploymentStatus } from '../kubernetes/gw-deployment.ts';
import type { ClusterPlace } from '../kubernetes/in-cluster.ts';
import { listAll } from '../kubernetes/list.ts';
import type { Log } from '../telemetry/log.ts';
import type { OperatorCounts } from './counts.ts';
import type { Election } from './election.ts';
import { followChanges } from './follow.ts';
import type { KnownSettings } from './given-settings.ts';
import { collectionPath, kinds, managedBy } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { reconcile } from './reconcile.ts';
import { statusBefore } from './status.ts';

export type OperatorOptions = Readonly<{
  place: ClusterPlace;
  namespace: string;
  election: Election;
  /** Epoch milliseconds. */
  nowMs: () => number;
  log: Log;
  times: OperatorTimes;
  counts: OperatorCounts;
  /** Those that resources may set. */
  settings: KnownSettings;
}>;

/** Milliseconds. */
export type OperatorTimes = Readonly<{
  /** The interval of election steps. */
  electionMs: number;
  /** Without a renewal for this long, writes stop. Shorter than the Lease. */
  deadlineMs: number;
  /** Minimum time between two passes, so that a burst of changes causes one pass. */
  pauseMs: number;
  /** The maximum time between two passes. */
  resyncMs: number;
  /** The wait after a failure. */
  retryMs: number;
}>;

export const operatorTimes: OperatorTimes = {
  electionMs: 2_000,
  deadlineMs: 10_000,
  pauseMs: 250,
  resyncMs: 60_000,
  retryMs: 5_000,
};

const releaseMs = 3_000;

/** `close` releases the Lease; `kill` does not, as in a crash. `failed` rejects if a loop ends by itself. */
export function startOperator(options: OperatorOptions) {
  const stopping = new AbortController();
  const elections = electionLoop(options, stopping.signal);
  const failed = Promise.withResolvers<never>();
  elections.catch(failed.reject);
  const kill = async (): Promise<void> => {
    stopping.abort();
    await elections.catch(() => undefined);
  };
  return {
    failed: failed.promise,
    kill,
    close: async (): Promise<void> => {
      await kill();
      await options.election
        .release(AbortSignal.timeout(releaseMs))
        .catch((error: unknown) => options.log.warn({ error }, 'the lease was not released'));
    },
  };
}

type Term = Readonly<{ ending: AbortController; expiry: NodeJS.Timeout; work: Promise<void> }>;

async function electionLoop(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { election, log, times, counts } = options;
  let term: Term | null = null;
  let isLogged = false;
  while (!signal.aborted) {
    try {
      const isLeading = await election.step(
        AbortSignal.any([signal, AbortSignal.timeout(times.deadlineMs / 2)]),
      );
      isLogged = false;
      counts.heardAtMs = performance.now();
      if (isLeading && term !== null && !term.ending.signal.aborted) term.expiry.refresh();
      else if (isLeading) term = await begin(options, term);
      else if (term !== null) term = await end(options, term);
    } catch (error) {
      if (!isLogged && !signal.aborted) log.warn({ error }, 'the lease cannot be read');
      isLogged = true;
    }
    if (term?.ending.signal.aborted === true) term = await end(options, term);
    await sleep(times.electionMs, undefined, { signal }).catch(() => undefined);
  }
  if (term !== null) await end(options, term);
}

async function begin(options: OperatorOptions, before: Term | null): Promise<Term> {
  if (before !== null) await end(options, before);
  options.log.info({ namespace: options.namespace }, 'this operator leads');
  options.counts.isLeading = true;
  const ending = new AbortController();
  const expiry = setTimeout(() => ending.abort(), options.times.deadlineMs);
  return { ending, expiry, work: lead(options, ending.signal) };
}

async function end(
  { log, counts }: OperatorOptions,
  { ending, expiry, work }: Term,
): Promise<null> {
  clearTimeout(expiry);
  ending.abort();
  await work;
  counts.isLeading = false;
  counts.phases = null;
  log.info({}, 'this operator no longer leads');
  return null;
}

/** Retries until the signal. Rejects for failures that a retry cannot fix. */
async function lead(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { place, namespace, log, times } = options;
  const wake = createWake();
  const follow = (path: string, query: string): Promise<void> =>
    followChanges({ place, path, query, onChange: wake.call, retryMs: times.retryMs, log }, signal);
  const [[label, value] = []] = Object.entries(managedBy);
  const selector = `labelSelector=${encodeURIComponent(`${label}=${value}`)}`;
  const names = Object.keys(kinds).filter(isKind);
  await Promise.all([
    passLoop(options, wake, signal),
    follow(deploymentPath(namespace), ''),
    ...names.map((kind) => follow(collectionPath(kind, namespace), selector)),
  ]);
}

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);

async function passLoop(options: OperatorOptions, wake: Wake, signal: AbortSignal): Promise<void> {
  const { log, times, counts } = options;
  let isLogged = false;
  while (!signal.aborted) {
    wake.reset();
    try {
      const outcome = await withCluster(options.place, (client) => pass(options, client, signal));
      if (isLogged) log.info({}, 'the API server answers again');
      isLogged = false;
      counts.passes[outcome]++;
      await rest(times.pauseMs, signal);
      if (outcome === 'done') await wake.wait(times.resyncMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      counts.passes.failed++;
      if (!isLogged) log.warn({ error }, 'a pass failed; retrying');
      isLogged = true;
      await rest(times.retryMs, signal);
    }
  }
}

/** A deployment that fails or that this release cannot read does not block the others. */
async function pass(
  { namespace, nowMs, log, counts, settings }: OperatorOptions,
  client: ClusterClient,
  signal: AbortSignal,
): Promise<'done' | 'again'> {
  const path = deploymentPath(namespace);
  const items = await listAll(client, { path, item: z.unknown() }, signal);
  const failures: unknown[] = [];
  const phases: DeploymentStatus['phase'][] = [];
  let outcome: 'done' | 'again' = 'done';
  for (const item of items) {
    try {
      const resource = parseNamed(deploymentResource, item, 'GwDeployment');
      phases.push(statusBefore(resource)?.phase ?? 'Pending');
      const own = await reconcile(resource, { client, nowMs, log, signal, counts, settings });
      if (own === 'again') outcome = 'again';
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  counts.phases = phases;
  if (failures.length > 0) throw failures[0];
  return outcome;
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

type Wake = ReturnType<typeof createWake>;

/** A call before the wait ends it at once. */
function createWake() {
  let called = new AbortController();
  return {
    call: () => called.abort(),
    reset: () => {
      called = new AbortController();
    },
    wait: (ms: number, signal: AbortSignal) => rest(ms, AbortSignal.any([signal, called.signal])),
  };
}
