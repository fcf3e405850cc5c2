// Whether an address that is stored and not dialled now could be dialled at all: its name is resolved and each address of it
// judged, as before a connection.

import { lookup } from 'node:dns/promises';
import { setTimeout as wait } from 'node:timers/promises';

import { isRefusal } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Egress } from './egress.ts';
import { createSlots } from './slots.ts';

/** Null when the host of `url` may be dialled, or has no address now: whoever dials it later judges it again. */
export type CheckAddress = (url: string) => Promise<Refusal | null>;

const resolveTimeoutMs = 2_000;

/** A resolver that hangs holds a thread: few may. */
const parallelMax = 2;
const waitingMax = 32;

export function createAddressCheck({ judge }: Pick<Egress, 'judge'>): CheckAddress {
  const slots = createSlots({ parallelMax, waitingMax, what: 'looked up names' });
  return async (url) => {
    const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = await slots.run(() => addressesOf(host));
    if (isRefusal(addresses)) return addresses;
    return addresses.map((address) => judge(host, address)).find(isRefusal) ?? null;
  };
}

async function addressesOf(host: string): Promise<readonly string[]> {
  const found = lookup(host, { all: true }).catch(() => []);
  const late = new AbortController();
  const none = wait(resolveTimeoutMs, [], { signal: late.signal }).catch(() => []);
  const addresses = await Promise.race([found, none]);
  late.abort();
  return addresses.map(({ address }) => address);
}
