// Authenticates the caller: looks up the SHA-256 of the key in the snapshot (specification,
// "Authentication" 5). Expiry is checked at each request, also while the control plane is
// unavailable.

import { hash } from 'node:crypto';

import type { Caller } from '../snapshot/compile/callers.ts';
import { refuseRequest } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { Generation } from './generation.ts';
import { speaksMessages } from './routes.ts';
import type { Exchange } from './transport/boundary.ts';

/** A full cache is cleared. */
const recognisedMax = 10_000;

const missing = refuseRequest(
  'invalid_api_key',
  'authorization: the API key is missing; send "Bearer <key>"',
);
const misplaced = refuseRequest(
  'invalid_api_key',
  'authorization: the API key is missing; x-api-key is accepted only on /v1/messages routes',
);
const unknown = refuseRequest(
  'invalid_api_key',
  'authorization: the API key is unknown or revoked',
);
const expired = refuseRequest(
  'expired_api_key',
  'authorization: the API key has expired; ask an administrator for a new key',
);

/**
 * Clients of the Messages API may use x-api-key instead of `authorization`. Some programs set both,
 * one to a dummy value, so a known key in either header is accepted.
 */
export function authenticate(
  generation: Generation,
  exchange: Pick<Exchange, 'path' | 'header'>,
  nowMs: number,
): Caller | GatewayRefusal {
  const { openCaller } = generation.snapshot;
  if (openCaller !== null) return openCaller;
  const authorization = exchange.header('authorization');
  const caller = callerOf(generation, authorization, nowMs);
  if ('grants' in caller) return caller;
  const key = exchange.header('x-api-key');
  if (key === undefined) return caller;
  if (!speaksMessages(exchange)) return authorization === undefined ? misplaced : caller;
  const other = callerOf(generation, `Bearer ${key}`, nowMs);
  return 'grants' in other || authorization === undefined ? other : caller;
}

function callerOf(
  generation: Generation,
  authorization: string | undefined,
  nowMs: number,
): Caller | GatewayRefusal {
  if (authorization === undefined) return missing;
  const caller = generation.recognised.get(authorization) ?? recognise(generation, authorization);
  if (!('grants' in caller)) return caller;
  return caller.expiresAtMs <= nowMs ? expired : caller;
}

function recognise(generation: Generation, authorization: string): Caller | GatewayRefusal {
  const key = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined) return missing;
  const caller = generation.snapshot.callers.get(hash('sha256', key));
  if (caller === undefined) return unknown;
  if (generation.recognised.size >= recognisedMax) generation.recognised.clear();
  generation.recognised.set(authorization, caller);
  return caller;
}
