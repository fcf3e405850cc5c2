// Who calls: the SHA-256 of the key is looked up in the snapshot (specification, "Authentication"
// 5). Expiry is judged at each request, so that it works while the control plane is away.

import { hash } from 'node:crypto';

import type { Caller } from '../snapshot/compile/callers.ts';
import { refuseRequest } from './answer.ts';
import type { GatewayRefusal } from './answer.ts';
import type { Generation } from './generation.ts';
import { speaksMessages } from './routes.ts';
import type { Exchange } from './transport/boundary.ts';

/** Beyond so many recognised header values they are forgotten and digested anew. */
const recognisedMax = 10_000;

const missing = refuseRequest('invalid_api_key', 'authorization: a bearer key is required');
const unknown = refuseRequest('invalid_api_key', 'authorization: the key is not known');
const expired = refuseRequest('expired_api_key', 'authorization: the key has expired');

/** As the value of an authorization header; clients of the Messages API have a header of their own. */
export function credentialOf(exchange: Pick<Exchange, 'path' | 'header'>): string | undefined {
  const authorization = exchange.header('authorization');
  if (authorization !== undefined || !speaksMessages(exchange)) return authorization;
  const key = exchange.header('x-api-key');
  return key === undefined ? undefined : `Bearer ${key}`;
}

export function authenticate(
  generation: Generation,
  authorization: string | undefined,
  nowMs: number,
): Caller | GatewayRefusal {
  const { openCaller } = generation.snapshot;
  if (openCaller !== null) return openCaller;
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
