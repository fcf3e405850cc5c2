// Parses the entries of an egress list: CIDR blocks, addresses, host names, or `*.suffix`.

import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** True when the entry covers the host at that address. */
export type EgressEntry = (host: string, address: Address) => boolean;

export const egressEntryForms =
  'addresses, CIDR blocks, host names or *.suffix, separated by commas';

/** Null for any other text, so that startup fails on an invalid list. */
export function readEgressEntry(text: string): EgressEntry | null {
  const entry = text.trim().toLowerCase();
  if (ipaddr.isValidCIDR(entry)) {
    const [block, bits] = ipaddr.parseCIDR(entry);
    return (_host, address) => inBlock(address, block, bits);
  }
  if (ipaddr.isValid(entry)) {
    const single = ipaddr.process(entry);
    return (_host, address) => address.toNormalizedString() === single.toNormalizedString();
  }
  if (!/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(entry)) return null;
  return entry.startsWith('*.')
    ? (host) => host.endsWith(entry.slice(1))
    : (host) => host === entry;
}

function inBlock(address: Address, block: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4)
    return block instanceof ipaddr.IPv4 && address.match(block, bits);
  return block instanceof ipaddr.IPv6 && address.match(block, bits);
}
