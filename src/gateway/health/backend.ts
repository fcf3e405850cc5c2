// Records the results of a backend's requests and of its endpoint's probes, and reports when they take it out of rotation
// or bring it back.

import { isUp } from '../../routing/load.ts';
import { isRetryable } from '../../routing/retry.ts';
import type { BackendState, EndpointState } from '../backend-state.ts';
import type { FlatHeaders, UpstreamFault } from '../transport/boundary.ts';
import {
  afterFailure,
  afterServed,
  cooldownWithinClock,
  noCooldown,
  retryAfterMsOf,
} from './cooldown.ts';
import type { Cooldown } from './cooldown.ts';
import {
  afterAnswer,
  afterProbe,
  afterReached,
  afterStall,
  afterTimeout,
  afterUnreached,
  outUntilMs,
  sound,
  withinClock,
} from './state.ts';
import type { Finding, Traffic } from './state.ts';

type Answer = Readonly<{ status: number; headers: FlatHeaders }>;

/**
 * Any status shows that the backend is reachable. A status that another backend might not give
 * starts a cooldown.
 */
export function noteAnswered(
  state: BackendState,
  { status, headers }: Answer,
  now: () => number,
): void {
  if (status >= 500) state.errors++;
  if (state.health !== sound) noteTraffic(state, afterAnswer(state.health, now()), now());
  if (isRetryable(status)) {
    const nowMs = now();
    const retryAfterMs = retryAfterMsOf(headers, nowMs);
    noteCooldown(state, afterFailure(state.cooldown, { status, retryAfterMs, nowMs }));
  } else if (state.cooldown !== noCooldown) {
    noteCooldown(state, afterServed(state.cooldown, now()));
  }
}

/**
 * Returns true when the fault takes the backend out of rotation. A fault after the head of an
 * answer does not affect later requests.
 */
export function noteFault(
  state: BackendState,
  { kind }: UpstreamFault,
  { sentMs, nowMs }: Readonly<{ sentMs: number; nowMs: number }>,
): boolean {
  state.errors++;
  const { unhealthy_after, consecutive_timeout_threshold: threshold } = state.endpoint.tuning;
  switch (kind) {
    case 'timed_out':
      return noteTraffic(state, afterTimeout(state.health, { sentMs, nowMs, threshold }), nowMs);
    case 'unreachable':
      noteCooldown(
        state,
        afterFailure(state.cooldown, { status: null, retryAfterMs: null, nowMs }),
      );
      return noteTraffic(state, afterUnreached(state.health, nowMs, unhealthy_after), nowMs);
    case 'stalled':
    case 'broken':
    case 'unread':
      return false;
  }
}

/** Returns how the probe changed the endpoint, or null. */
export function noteProbe(
  endpoint: EndpointState,
  finding: Finding,
  nowMs: number,
): 'out' | 'back' | null {
  const before = endpoint.reach;
  if (finding === 'passed') endpoint.passes++;
  endpoint.reach = afterProbe(before, finding, endpoint.tuning.unhealthy_after);
  for (const state of endpoint.backends) {
    const health = withinClock(state.health, nowMs);
    noteTraffic(state, finding === 'passed' ? afterReached(health) : health, nowMs);
    noteCooldown(state, cooldownWithinClock(state.cooldown, nowMs));
  }
  if (before.isOut === endpoint.reach.isOut) return null;
  return endpoint.reach.isOut ? 'out' : 'back';
}

/** Records that the engine makes no progress. Returns true when this takes the backend out of rotation. */
export const noteStalled = (state: BackendState, nowMs: number): boolean =>
  noteTraffic(state, afterStall(state.health, nowMs), nowMs);

function noteTraffic(state: BackendState, health: Traffic, nowMs: number): boolean {
  const wasUp = isUp(state, nowMs);
  state.health = health;
  state.restsUntilMs = outUntilMs(state.endpoint.reach, health);
  const isOut = wasUp && !isUp(state, nowMs);
  if (isOut) state.ejections++;
  return isOut;
}

function noteCooldown(state: BackendState, cooldown: Cooldown): void {
  state.cooldown = cooldown;
  state.coolsUntilMs = cooldown.untilMs;
}
