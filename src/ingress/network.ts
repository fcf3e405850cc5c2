// Maps addresses to the network by which clients are counted.

import ipaddr from 'ipaddr.js';

/** The /64 network of an IPv6 address, because one host can use all of it (RFC 4291, section 2.5.4). */
export const networkOf = (address: string): string => prefixOf(address, 4);

/** The /48 prefix of an IPv6 address, which often belongs to one site (RFC 6177, section 2). */
export const siteOf = (address: string): string => prefixOf(address, 3);

/** An IPv4 address is returned unchanged. An IPv6 address is cut to its first 16-bit groups. */
function prefixOf(address: string, groups: number): string {
  if (!ipaddr.isValid(address)) return address;
  const read = ipaddr.process(address);
  return read instanceof ipaddr.IPv6 ? read.parts.slice(0, groups).join(':') : read.toString();
}
