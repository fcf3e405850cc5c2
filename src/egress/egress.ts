// Decides where this program may dial: one guard for the clients of every role, except for those that connect the parts of gw (to the
// control plane, the gateway and the Kubernetes API). The addresses of a name are judged when they are resolved for a connection, and
// that connection goes to one of them. So neither another spelling of an address nor a name that changes its address between two
// look-ups gets past it. Nothing is resolved or judged for a connection that is kept.

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

/** Entries are CIDR blocks, addresses, host names, or `*.suffix`. An empty `allow` allows all that is not refused. */
export type EgressLists = Readonly<{ allow: readonly string[]; deny: readonly string[] }>;

/** The `lookup` of node:dns with the option `all`. */
export type Resolve = (
  host: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export type Guard = Readonly<{
  /** Null when `address`, found for `host`, may be dialled. */
  judge: (host: string, address: string) => Refusal | null;
  /** For a socket's `lookup` option, which Node does not call for a host that is an address: see `refusalOf`. */
  lookup: LookupFunction;
  /** Why a host that is an address itself may not be dialled; null for names, which `lookup` judges. */
  refusalOf: (host: string) => EgressRefused | null;
  /** For the `connect` option of an undici dispatcher. */
  connector: (options: buildConnector.BuildOptions) => buildConnector.connector;
}>;

export type Egress = Guard &
  Readonly<{
    dispatcher: Agent;
    /** An entry of `allow` means `host` at `address`: the operator thought of it, not merely did not forbid it. */
    isNamed: (host: string, address: string) => boolean;
  }>;

const connectTimeoutMs = 5_000;
/** How many of a name's addresses are tried. */
const addressesMax = 4;

/** Never dialled, whatever is allowed: ranges that mean no single host, that embed an IPv4 address, or that serve metadata. */
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

/** Metadata services of instances, of containers (fd00:ec2::23) and of the platform (168.63.129.16) outside of the refused ranges. */
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

/** The clients of one role dial through such a guard. */
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
    return refused ? refuse('invalid', `address ${address} of ${host} may not be dialled`) : null;
  };

  const lookup: LookupFunction = (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = found.slice(0, addressesMax);
      const refusal = firstRefusal(judge, host, addresses);
      if (refusal !== null) return callback(new EgressRefused(refusal), []);
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      if (first === undefined) return callback(new Error('the name has no address'), []);
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

/** Refuses what is never dialled, and nothing else. */
export const createOpenGuard = (): Guard => createGuard({ allow: [], deny: [] });

type EgressOptions = Readonly<{
  /** PEM certificates that are trusted besides the runtime's own. */
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

/** One refused address refuses the name: a name that points both inside and outside is not an accident. */
function firstRefusal(
  judge: Egress['judge'],
  host: string,
  addresses: readonly LookupAddress[],
): Refusal | null {
  return addresses.map(({ address }) => judge(host, address)).find(isRefusal) ?? null;
}

/** A socket can only report an error; this one carries the refusal. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Throws for an entry that cannot be read: settings are checked before. */
function parseEntry(text: string): EgressEntry {
  const entry = readEgressEntry(text);
  if (entry === null) throw new Error(`${text} is none of ${egressEntryForms}`);
  return entry;
}

/** The prefix under which a NAT64 reaches IPv4 addresses (RFC 6052, section 2.1): names without IPv6 resolve to it there. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * An address of NAT64 is judged as the IPv4 address in it, and so is `::a.b.c.d`, the oldest way to write an IPv4 address in IPv6; `::` and
 * `::1` stay.
 */
function embeddedIPv4(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  const bytes = address.toByteArray();
  const isCompatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes[12] !== 0;
  const isEmbedded = isCompatible || address.match(nat64);
  return isEmbedded ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
