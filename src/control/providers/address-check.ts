// Checks whether an address that is stored without dialling could be dialled: resolves its name and
// checks each IP address, as before a connection.

import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import type { Refusal } from '../../lib/refusal.ts';
import { EgressRefused } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import { createSlots } from '../slots.ts';

/** Null if the host may be dialled or does not resolve. Every later connection is checked again. */
export type CheckAddress = (url: string) => Promise<Refusal | null>;

const resolveTimeoutMs = 2_000;

/** A slow resolver blocks a thread, so few may run at once. */
const parallelMax = 2;
const waitingMaxDefault = 32;

/** Refuses with `unavailable` if there is neither a slot nor a place in the queue. */
export function createAddressCheck(
  guard: Pick<Guard, 'lookup' | 'refusalOf'>,
  { waitingMax = waitingMaxDefault }: Readonly<{ waitingMax?: number }> = {},
): CheckAddress {
  const slots = createSlots({ parallelMax, waitingMax, what: 'name lookups' });
  return async (url) => {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0) return guard.refusalOf(host)?.refusal ?? null;
    return slots.run(() => refusalOfName(host, guard));
  };
}

async function refusalOfName(host: string, { lookup }: Pick<Guard, 'lookup'>) {
  const late = new AbortController();
  const none = wait(resolveTimeoutMs, null, { signal: late.signal }).catch(() => null);
  const resolved = new Promise<Refusal | null>((resolve) => {
    lookup(host, { all: true }, (error) =>
      resolve(error instanceof EgressRefused ? error.refusal : null),
    );
  });
  const refusal = await Promise.race([resolved, none]);
  late.abort();
  return refusal;
}
