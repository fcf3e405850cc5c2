// Decides whether an address that is stored and not dialled now could be dialled at all: resolves its name and judges each address of
// it, as before a connection.

import { isIP } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

import type { Refusal } from '../../lib/refusal.ts';
import { EgressRefused } from '../../egress/egress.ts';
import type { Guard } from '../../egress/egress.ts';
import { createSlots } from '../slots.ts';

/** Null when the host of `url` may be dialled, or has no address now. Every later connection is judged again. */
export type CheckAddress = (url: string) => Promise<Refusal | null>;

const resolveTimeoutMs = 2_000;

/** A resolver that hangs holds a thread: few may. */
const parallelMax = 2;
const waitingMaxDefault = 32;

/** Refuses as unavailable what finds no slot, nor a place among the `waitingMax` that wait for one. */
export function createAddressCheck(
  guard: Pick<Guard, 'lookup' | 'refusalOf'>,
  { waitingMax = waitingMaxDefault }: Readonly<{ waitingMax?: number }> = {},
): CheckAddress {
  const slots = createSlots({ parallelMax, waitingMax, what: 'looked up names' });
  return async (url) => {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0) return guard.refusalOf(host)?.refusal ?? null;
    return slots.run(() => refusalOfName(host, guard));
  };
}

/** Null when the name does not resolve in time. */
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
