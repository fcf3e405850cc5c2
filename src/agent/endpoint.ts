// Probes and registers one endpoint. Each change of its state is logged once.

import type { Log } from '../telemetry/log.ts';
import type { Candidate } from './candidate.ts';
import type { Served } from './model-list.ts';
import type { Probe } from './probe.ts';
import type { Outcome, Register, Registration } from './register.ts';

export type Endpoint = {
  candidate: Candidate;
  /** Kept while its engine is unavailable, so that the provider's name does not change. */
  served: Served | null;
  /** The state that was logged last. */
  reported: string | null;
};

export type Visiting = Readonly<{
  probe: Probe;
  register: Register;
  describe: (candidate: Candidate, served: Served | null) => Registration;
  log: Log;
}>;

export type Visited = Outcome | Readonly<{ kind: 'silent' }>;

export const newEndpoint = (candidate: Candidate): Endpoint => ({
  candidate,
  served: null,
  reported: null,
});

/** True if the endpoint must be registered now: it answers, or it is configured. */
export async function isThere(
  endpoint: Endpoint,
  { probe, log }: Visiting,
  signal: AbortSignal,
): Promise<boolean> {
  const { candidate, reported } = endpoint;
  const served = await probe(candidate.apiBase, signal);
  if (served !== null) endpoint.served = { ...served, model: served.model ?? modelOf(endpoint) };
  if (served !== null || candidate.isOutright) return true;
  if (reported !== null && reported !== 'silent' && !signal.aborted) {
    endpoint.reported = 'silent';
    log.warn({ api_base: candidate.apiBase }, 'an endpoint does not answer, so its lease expires');
  }
  return false;
}

const modelOf = ({ served }: Endpoint): string | null => served?.model ?? null;

export async function registerEndpoint(
  endpoint: Endpoint,
  { register, describe, log }: Visiting,
  signal: AbortSignal,
): Promise<Outcome> {
  const registration = describe(endpoint.candidate, endpoint.served);
  const outcome = await register(registration, signal);
  const reported = textOf(outcome);
  if (reported === null || reported === endpoint.reported) return outcome;
  endpoint.reported = reported;
  const fields = { api_base: registration.api_base, name: registration.name };
  if (outcome.kind === 'refused') {
    const { status, why } = outcome;
    log.warn({ ...fields, status, reason: why }, 'a registration was refused');
  }
  if (outcome.kind === 'registered') {
    const found = { ...fields, provider: outcome.name, id: outcome.id };
    if (outcome.leased) log.info(found, 'an endpoint is registered');
    else log.warn(found, 'the address belongs to a provider without a lease of this agent');
  }
  return outcome;
}

/** An unavailable control plane is not logged per endpoint. */
function textOf(outcome: Outcome): string | null {
  switch (outcome.kind) {
    case 'registered':
      return `registered ${outcome.id} ${outcome.name} ${outcome.leased}`;
    case 'refused':
      return `refused ${outcome.status} ${outcome.why}`;
    case 'away':
      return null;
  }
}
