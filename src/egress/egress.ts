// Decides which addresses this program may dial. Every outbound client uses this guard, except for
// connections between parts of gw (the control plane, the gateway and the Kubernetes API). The
// addresses of a name are checked when they are resolved for a connection, which uses one of them.
// This defeats alternative spellings of an address and DNS rebinding. A reused connection is not
// checked again.

import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';

import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { egressEntryForms, readEgressEntry } from './egress-list.ts';
import type { Address, EgressEntry } from './egress-list.ts';

/** Entries are CIDR blocks, addresses, host names, or `*.suffix`. An empty `allow` list allows everything that is not denied. */
export type EgressLists = Readonly<{ allow: readonly string[]; deny: readonly string[] }>;

/** The `lookup` of node:dns with the option `all`. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type Guard = Readonly<{
  /** Null when `host` may be dialled at `address`. */
  judge: (host: string, address: string) => Refusal | null;
  /** The `lookup` option of a socket. Node does not call it for a host that is an IP address; use `refusalOf` for those. */
  lookup: LookupFunction;
  /** Null for an allowed IP address, and for names, which `lookup` checks. */
  refusalOf: (host: string) => EgressRefused | null;
  /** The `connect` option of an undici dispatcher. */
  connector: (options: buildConnector.BuildOptions) => buildConnector.connector;
}>;

export type Egress = Guard &
  Readonly<{
    dispatcher: Agent;
    /**
     * True when an entry of `allow` covers `host` at `address`, not only when no entry denies it.
     */
    isNamed: (host: string, address: string) => boolean;
  }>;

const connectTimeoutMs = 5_000;
/** Addresses of one name that are tried. */
const addressesMax = 4;

/** Never dialled, even if allowed: ranges that are not a single host, that embed an IPv4 address, or that serve metadata. */
const refusedRanges: ReadonlySet<string> = new Set([
  'unspecified',
  'linkLocal',
  'multicast',
  'broadcast',
  '6to4',
  'teredo',
  'rfc6052',
  'rfc6145',
]);

/** Metadata services outside the refused ranges: instances, containers (fd00:ec2::23) and the platform (168.63.129.16). */
const metadataAddresses: ReadonlySet<string> = new Set(
  [
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ].map((address) => ipaddr.parse(address).toNormalizedString()),
);

/** Creates the guard for the clients of one role. */
export function createGuard(lists: EgressLists, resolve: Resolve = systemLookup): Guard {
  const allow = lists.allow.map(parseEntry);
  const deny = lists.deny.map(parseEntry);

  const judge = (host: string, address: string): Refusal | null => {
    const parsed = embeddedIPv4(ipaddr.process(address));
    const name = host.toLowerCase().replace(/\.$/, '');
    const matches = (entry: EgressEntry) => entry(name, parsed);
    const refused =
      refusedRanges.has(parsed.range()) ||
      metadataAddresses.has(parsed.toNormalizedString()) ||
      deny.some(matches) ||
      (allow.length > 0 && !allow.some(matches));
    return refused
      ? refuse('invalid', `address ${address} of ${host} is not an allowed egress destination`)
      : null;
  };

  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = found.slice(0, addressesMax);
      const refusal = firstRefusal(judge, host, addresses);
      if (refusal !== null) return callback(new EgressRefused(refusal), []);
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      if (first === undefined)
        return callback(new Error('the host name resolves to no address'), []);
      callback(null, first.address, first.family);
    });
  };

  const refusalOf = (host: string): EgressRefused | null => {
    const refusal = isIP(host) === 0 ? null : judge(host, host);
    return refusal === null ? null : new EgressRefused(refusal);
  };

  const connector: Guard['connector'] = (options) => {
    const connect = buildConnector({ allowH2: false, ...options, lookup });
    return (target, callback) => {
      const refused = refusalOf(target.hostname.replace(/^\[(.*)\]$/, '$1'));
      if (refused !== null) callback(refused, null);
      else connect(target, callback);
    };
  };
  return { judge, lookup, refusalOf, connector };
}

/** Refuses only addresses that are never dialled. */
export const createOpenGuard = (): Guard => createGuard({ allow: [], deny: [] });

type EgressOptions = Readonly<{
  /** PEM certificates trusted in addition to the built-in ones. */
  ca?: readonly string[];
  resolve?: Resolve;
}>;

export function createEgress(lists: EgressLists, options: EgressOptions = {}): Egress {
  const guard = createGuard(lists, options.resolve);
  const allow = lists.allow.map(parseEntry);
  const connect = guard.connector({
    timeout: connectTimeoutMs,
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, ...options.ca] }),
  });
  const isNamed = (host: string, address: string): boolean =>
    guard.judge(host, address) === null &&
    allow.some((entry) => entry(host.toLowerCase(), embeddedIPv4(ipaddr.process(address))));
  return { ...guard, dispatcher: new Agent({ connect, pipelining: 1 }), isNamed };
}

/** One refused address refuses the whole name: a name with internal and external addresses is suspicious. */
function firstRefusal(
  judge: Egress['judge'],
  host: string,
  addresses: readonly LookupAddress[],
): Refusal | null {
  return addresses.map(({ address }) => judge(host, address)).find(isRefusal) ?? null;
}

/** A socket can only report an error, so this carries the refusal. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Settings are validated earlier. */
function parseEntry(text: string): EgressEntry {
  const entry = readEgressEntry(text);
  if (entry === null)
    throw new Error(`egress list entry ${text} is invalid; use ${egressEntryForms}`);
  return entry;
}

/** The NAT64 prefix for IPv4 addresses (RFC 6052, section 2.1). DNS64 resolves IPv4-only names to it. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * A NAT64 address and an IPv4-compatible address (`::a.b.c.d`) are checked as the IPv4 address that they embed. `::`
 * and `::1` are not changed.
 */
function embeddedIPv4(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  const bytes = address.toByteArray();
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes[12] !== 0;
  const isEmbedded = isCompatible || address.match(nat64);
  return isEmbedded ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
