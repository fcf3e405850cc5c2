// Which addresses count as one client where clients are counted by address.

import ipaddr from 'ipaddr.js';

/** A client that has one IPv6 address has all 64 bits of its network (RFC 4291, section 2.5.4). */
export const networkOf = (address: string): string => prefixOf(address, 4);

/** A site often has all networks of a prefix of 48 bits (RFC 6177, section 2). */
export const siteOf = (address: string): string => prefixOf(address, 3);

/** An IPv4 address counts as a whole; of an IPv6 address the first groups of 16 bits count. */
function prefixOf(address: string, groups: number): string {
  if (!ipaddr.isValid(address)) return address;
  const read = ipaddr.process(address);
  return read instanceof ipaddr.IPv6 ? read.parts.slice(0, groups).join(':') : read.toString();
}
