// Runs the agent: it searches for endpoints periodically and renews their leases on a separate schedule, so that a slow search lets no
// lease expire. The agent only makes outgoing connections.

import { setTimeout as sleep } from 'node:timers/promises';

import { eachInParallel } from '../lib/parallel.ts';
import { backoffMs } from './backoff.ts';
import { distinct } from './candidate.ts';
import type { Candidate } from './candidate.ts';
import { isThere, newEndpoint, registerEndpoint } from './endpoint.ts';
import type { Endpoint, Visited, Visiting } from './endpoint.ts';
import type { Outcome } from './register.ts';

export type AgentOptions = Visiting &
  Readonly<{
    /** The configured endpoints. */
    fixed: readonly Candidate[];
    /** Null if no search is configured. Rejects if the search fails. */
    findExposed: ((signal: AbortSignal) => Promise<readonly Candidate[]>) | null;
    /** The maximum number of concurrent probes. */
    workers: number;
    intervalMs: number;
    discoverMs: number;
    /** From 0 up to, but not including, 1. */
    random: () => number;
  }>;

type Away = Extract<Outcome, { kind: 'away' }>;

type Agent = Readonly<{
  options: AgentOptions;
  stopping: AbortController;
  /**
   * Endpoints that are configured or have answered once. They are kept as long as they are
   * candidates.
   */
  held: Map<string, Endpoint>;
}> & {
  /** Consecutive rounds without an answer of the control plane. */
  failures: number;
  /** Ends the wait for the next heartbeat. */
  wake: AbortController;
  /** The last search result, which is kept while the search fails. */
  found: readonly Candidate[];
  /** The log already says that there is no endpoint. */
  isEmptyLogged: boolean;
};

/** Shortens each wait by up to this fraction, so that many hosts do not send heartbeats in step. */
const jitter = 0.1;

/** `close` takes effect at once. `failed` rejects if a loop ends by itself. */
export function startAgent(options: AgentOptions) {
  const agent = newAgent(options);
  const loops = Promise.all([discoverLoop(agent), heartbeatLoop(agent)]);
  const failed = Promise.withResolvers<never>();
  loops.catch(failed.reject);
  return {
    failed: failed.promise,
    close: async (): Promise<void> => {
      agent.stopping.abort();
      await loops;
    },
  };
}

const newAgent = (options: AgentOptions): Agent => ({
  options,
  stopping: new AbortController(),
  held: new Map(),
  failures: 0,
  wake: new AbortController(),
  found: [],
  isEmptyLogged: false,
});

/** Rejects if the search fails. */
export async function registerOnce(options: AgentOptions): Promise<readonly Visited[]> {
  const agent = newAgent(options);
  const visited: Visited[] = [];
  await refreshFound(agent);
  await eachInParallel(candidatesOf(agent), options.workers, async (candidate) => {
    visited.push(await visit(agent, newEndpoint(candidate)));
  });
  return visited;
}

async function refreshFound(agent: Agent): Promise<void> {
  const { options, stopping } = agent;
  if (options.findExposed !== null) agent.found = await options.findExposed(stopping.signal);
}

const candidatesOf = ({ options, found }: Agent): readonly Candidate[] =>
  distinct([...options.fixed, ...found]);

async function visit({ options, stopping }: Agent, endpoint: Endpoint): Promise<Visited> {
  const { signal } = stopping;
  return (await isThere(endpoint, options, signal))
    ? registerEndpoint(endpoint, options, signal)
    : { kind: 'silent' };
}

async function discoverLoop(agent: Agent): Promise<void> {
  const { discoverMs, log, random } = agent.options;
  let failures = 0;
  while (!agent.stopping.signal.aborted) {
    const error = await failureOf(refreshFound(agent));
    if (agent.stopping.signal.aborted) return;
    if (error !== null && failures === 0) log.warn({ error }, 'the search for endpoints failed');
    if (error === null && failures > 0) log.info({}, 'the search for endpoints works again');
    failures = error === null ? 0 : failures + 1;
    await discover(agent);
    const waitMs =
      failures === 0
        ? discoverMs * (1 - jitter * random())
        : backoffMs({ count: failures, limitMs: discoverMs, askedMs: null }, random());
    await rest(waitMs, agent.stopping.signal);
  }
}

const failureOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** Known endpoints are probed at each heartbeat. */
async function discover(agent: Agent): Promise<void> {
  const { held, options, stopping } = agent;
  const candidates = candidatesOf(agent);
  drop(agent, candidates);
  const fresh = candidates.filter(({ apiBase }) => !held.has(apiBase));
  await eachInParallel(fresh, options.workers, async (candidate) => {
    const endpoint = newEndpoint(candidate);
    if (!(await isThere(endpoint, options, stopping.signal))) return;
    // While the control plane is unavailable, only heartbeats contact it.
    const isAway = agent.failures > 0;
    const outcome = isAway ? null : await registerEndpoint(endpoint, options, stopping.signal);
    held.set(candidate.apiBase, endpoint);
    if (outcome?.kind === 'away') agent.wake.abort();
  });
  if (!stopping.signal.aborted) sayIfEmpty(agent, candidates.length);
}

/** Logged once until an endpoint is found. It is not a failure, but operators look for it first. */
function sayIfEmpty(agent: Agent, candidates: number): void {
  const isEmpty = agent.held.size === 0;
  if (isEmpty && !agent.isEmptyLogged) {
    agent.options.log.info({ candidates }, 'no model server is found');
  }
  agent.isEmptyLogged = isEmpty;
}

function drop({ held, options }: Agent, candidates: readonly Candidate[]): void {
  const byAddress = new Map(candidates.map((candidate) => [candidate.apiBase, candidate]));
  for (const [apiBase, endpoint] of held) {
    const candidate = byAddress.get(apiBase);
    if (candidate !== undefined) endpoint.candidate = candidate;
    else {
      held.delete(apiBase);
      options.log.info(
        { api_base: apiBase },
        'an endpoint is no longer exposed, so its lease expires',
      );
    }
  }
}

async function heartbeatLoop(agent: Agent): Promise<void> {
  const { intervalMs, log, random } = agent.options;
  while (!agent.stopping.signal.aborted) {
    const startedAt = performance.now();
    const away = await heartbeat(agent);
    if (agent.stopping.signal.aborted) return;
    if (away === null) {
      if (agent.failures > 0) log.info({}, 'the control plane answers again');
      agent.failures = 0;
    } else {
      if (agent.failures === 0) log.warn({ reason: away.why }, 'the control plane does not answer');
      agent.failures++;
    }
    const { failures: count } = agent;
    const waitMs =
      away === null
        ? intervalMs * (1 - jitter * random()) - (performance.now() - startedAt)
        : backoffMs({ count, limitMs: intervalMs, askedMs: away.retryAfterMs }, random());
    agent.wake = new AbortController();
    await rest(waitMs, AbortSignal.any([agent.stopping.signal, agent.wake.signal]));
  }
}

/**
 * If the control plane does not answer, the rest of the round is skipped and comes first in the
 * next round, so that a failing endpoint does not block others.
 */
async function heartbeat(agent: Agent): Promise<Away | null> {
  const { held, options } = agent;
  const found: Away[] = [];
  await eachInParallel([...held], options.workers, async ([apiBase, endpoint]) => {
    if (found.length > 0) return;
    const visited = await visit(agent, endpoint);
    if (held.delete(apiBase)) held.set(apiBase, endpoint);
    if (visited.kind === 'away') found.push(visited);
  });
  return found[0] ?? null;
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
