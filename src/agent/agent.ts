// The agent at work: it looks for endpoints now and then, and renews the leases of those that it holds on a clock of their own, so that a
// search that takes long lets no lease lapse. It is never dialled.

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
    /** What is configured. */
    fixed: readonly Candidate[];
    /** What is found anew each time; null when nothing is looked for. Rejects when it cannot be said. */
    look: ((signal: AbortSignal) => Promise<readonly Candidate[]>) | null;
    /** Candidates that are probed at once. */
    workers: number;
    intervalMs: number;
    discoverMs: number;
    /** At least 0 and below 1. */
    random: () => number;
  }>;

type Away = Extract<Outcome, { kind: 'away' }>;

type Agent = Readonly<{
  options: AgentOptions;
  stopping: AbortController;
  /** What has answered once, or is configured outright; as long as it is a candidate it is held. */
  held: Map<string, Endpoint>;
}> & {
  /** Rounds in a row that found no control plane. */
  failures: number;
  /** Cuts short the wait for the next heartbeat. */
  wake: AbortController;
  /** What was found last; it stays while the search fails. */
  found: readonly Candidate[];
  /** The log says that there is no endpoint. */
  isSaidEmpty: boolean;
};

/** Each wait is up to this part of it shorter, so that many hosts do not beat in step. */
const jitter = 0.1;

/** `close` ends it at once; `failed` rejects should one of its loops end by itself. */
export function startAgent(options: AgentOptions) {
  const agent = newAgent(options);
  const loops = Promise.all([discoverLoop(agent), beatLoop(agent)]);
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
  isSaidEmpty: false,
});

/** Looks once and registers what is found. Rejects when it cannot look. */
export async function registerOnce(options: AgentOptions): Promise<readonly Visited[]> {
  const agent = newAgent(options);
  const visited: Visited[] = [];
  await look(agent);
  await eachInParallel(candidatesOf(agent), options.workers, async (candidate) => {
    visited.push(await visit(agent, newEndpoint(candidate)));
  });
  return visited;
}

async function look(agent: Agent): Promise<void> {
  const { options, stopping } = agent;
  if (options.look !== null) agent.found = await options.look(stopping.signal);
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
    const error = await failureOf(look(agent));
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

/** Asks what is not held; what is, is asked at each heartbeat. */
async function discover(agent: Agent): Promise<void> {
  const { held, options, stopping } = agent;
  const candidates = candidatesOf(agent);
  drop(agent, candidates);
  const fresh = candidates.filter(({ apiBase }) => !held.has(apiBase));
  await eachInParallel(fresh, options.workers, async (candidate) => {
    const endpoint = newEndpoint(candidate);
    if (!(await isThere(endpoint, options, stopping.signal))) return;
    // While the control plane is away, the heartbeats ask for it, and they alone.
    const isAway = agent.failures > 0;
    const outcome = isAway ? null : await registerEndpoint(endpoint, options, stopping.signal);
    held.set(candidate.apiBase, endpoint);
    if (outcome?.kind === 'away') agent.wake.abort();
  });
  if (!stopping.signal.aborted) sayIfEmpty(agent, candidates.length);
}

/** Once, until one is found: it is no failure, but what an operator looks for first. */
function sayIfEmpty(agent: Agent, candidates: number): void {
  const isEmpty = agent.held.size === 0;
  if (isEmpty && !agent.isSaidEmpty) {
    agent.options.log.info({ candidates }, 'no model server is found');
  }
  agent.isSaidEmpty = isEmpty;
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
        'an endpoint is exposed no more, so its lease lapses',
      );
    }
  }
}

async function beatLoop(agent: Agent): Promise<void> {
  const { intervalMs, log, random } = agent.options;
  while (!agent.stopping.signal.aborted) {
    const startedAt = performance.now();
    const away = await beat(agent);
    if (agent.stopping.signal.aborted) return;
    if (away === null) {
      if (agent.failures > 0) log.info({}, 'the control plane is back');
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
 * Renews every lease. Once the control plane is found away, the rest of the round is left out; it is first in the next one, so that an
 * endpoint whose registration fails keeps no other from its turn.
 */
async function beat(agent: Agent): Promise<Away | null> {
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
