// Where this program may dial. Every address is judged after the name was resolved and that very address is connected to, so
// neither another spelling of an address nor a name that changes its mind walks past.

import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { rootCertificates } from 'node:tls';

import ipaddr from 'ipaddr.js';
import { Agent, buildConnector } from 'undici';

import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { egressEntryForms, readEgressEntry } from './egress-list.ts';
import type { Address, EgressEntry } from './egress-list.ts';

/** Entries are CIDR blocks, addresses, host names, or `*.suffix`. An empty `allow` allows all that is not refused. */
export type EgressLists = Readonly<{ allow: readonly string[]; deny: readonly string[] }>;

export type Egress = Readonly<{
  dispatcher: Agent;
  /** Null when `address`, found for `host`, may be dialled. */
  judge: (host: string, address: string) => Refusal | null;
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

/** Of instances, of containers (fd00:ec2::23) and of the platform (168.63.129.16), where the range does not say it. */
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

/** `ca` are PEM certificates that are trusted besides the runtime's own. */
export function createEgress(lists: EgressLists, options: { ca?: readonly string[] } = {}): Egress {
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

  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, ...options.ca] }),
  });
  const dispatcher = new Agent({ connect: checkedConnector(judge, connect), pipelining: 1 });
  const isNamed = (host: string, address: string): boolean =>
    judge(host, address) === null &&
    allow.some((entry) => entry(host.toLowerCase(), embeddedIPv4(ipaddr.process(address))));
  return { dispatcher, judge, isNamed };
}

type Connector = buildConnector.connector;

function checkedConnector(judge: Egress['judge'], connect: Connector): Connector {
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    lookup(host, { all: true }, (error, found) => {
      if (error !== null) return callback(error, null);
      const addresses = found.slice(0, addressesMax);
      const refusal = firstRefusal(judge, host, addresses);
      if (refusal !== null) return callback(new EgressRefused(refusal), null);
      connectFirst(connect, options, addresses, callback);
    });
  };
}

/** One refused address refuses the name: a name that points both inside and outside is not an accident. */
function firstRefusal(
  judge: Egress['judge'],
  host: string,
  addresses: readonly LookupAddress[],
): Refusal | null {
  return addresses.map(({ address }) => judge(host, address)).find(isRefusal) ?? null;
}

/** Tries the addresses in turn. The server name for TLS stays that of the name asked for. */
function connectFirst(
  connect: Connector,
  options: buildConnector.Options,
  [first, ...rest]: readonly LookupAddress[],
  callback: buildConnector.Callback,
): void {
  if (first === undefined) return callback(new Error('the name has no address'), null);
  connect({ ...options, hostname: first.address }, (...[error, socket]) => {
    if (error === null) return callback(null, socket);
    if (rest.length === 0) return callback(error, null);
    connectFirst(connect, options, rest, callback);
  });
}

/** The connector's only way to answer is an error; this one carries the refusal. */
export class EgressRefused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Settings are checked before; whoever calls otherwise is told by a throw. */
function parseEntry(text: string): EgressEntry {
  const entry = readEgressEntry(text);
  if (entry === null) throw new Error(`${text} is none of ${egressEntryForms}`);
  return entry;
}

/** `::a.b.c.d`, the oldest way to write an IPv4 address in IPv6, is judged as that IPv4 address; `::` and `::1` stay. */
function embeddedIPv4(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address;
  const bytes = address.toByteArray();
  const compatible = bytes.slice(0, 12).every((byte) => byte === 0) && bytes[12] !== 0;
  return compatible ? new ipaddr.IPv4(bytes.slice(12)) : address;
}
