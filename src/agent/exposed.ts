// Finds the addresses of a cluster that are reachable from outside: node ports and load balancers
// of services, and host ports of pods.

import { isIP } from 'node:net';

import { apiBaseOf, distinct } from './candidate.ts';
import type { Candidate, Scheme } from './candidate.ts';
import type { ClusterNode, ClusterObjects, ClusterPod, ClusterService } from './cluster-objects.ts';
import { declaredHostPorts, hostNetworkPorts } from './host-port.ts';

/** The service annotation with the address to register instead of those of its type. */
export const advertiseAnnotation = 'gw.io/advertise';

type Exposure = Readonly<{
  candidates: readonly Candidate[];
  /** One sentence per omitted service, without a full stop. */
  left: readonly string[];
}>;

/** `advertise` is the configured address of the node ports. Addresses with a known node come first. */
export function exposedBy(
  { services, pods, nodes }: ClusterObjects,
  advertise: string | null,
): Exposure {
  const addresses = internalAddresses(nodes);
  const ofPods = pods.flatMap((pod) => ofPod(pod, addresses));
  const ofServices = services.map((service) => ofService(service, advertise));
  return {
    candidates: distinct([...ofPods, ...ofServices.flatMap(({ candidates }) => candidates)]),
    left: ofServices.flatMap(({ left }) => left),
  };
}

function ofService(service: ClusterService, advertise: string | null): Exposure {
  const { metadata, spec, status } = service;
  const name = `service ${metadata.namespace ?? ''}/${metadata.name}`;
  const annotated = metadata.annotations?.[advertiseAnnotation];
  if (annotated !== undefined) {
    const apiBase = annotatedBase(annotated);
    if (apiBase !== null) return { candidates: [unplaced(apiBase)], left: [] };
    const why = `${advertiseAnnotation} of ${name} is not an http or https address of an endpoint`;
    return { candidates: [], left: [why] };
  }
  const ports = spec.ports.filter(({ protocol }) => (protocol ?? 'TCP') === 'TCP');
  if (spec.type === 'LoadBalancer') {
    const hosts = (status?.loadBalancer?.ingress ?? []).flatMap(
      ({ ip, hostname }) => ip ?? hostname ?? [],
    );
    const bases = hosts.flatMap((host) =>
      ports.map((port) => apiBaseOf(schemeOf(port), host, port.port)),
    );
    return { candidates: bases.map(unplaced), left: [] };
  }
  const nodePorts = spec.type === 'NodePort' ? ports.filter(({ nodePort }) => nodePort) : [];
  if (nodePorts.length === 0) return { candidates: [], left: [] };
  if (advertise === null) {
    return { candidates: [], left: [`the ports of ${name} on its nodes need --advertise`] };
  }
  const bases = nodePorts.map((port) =>
    apiBaseOf(schemeOf(port), advertise, port.nodePort ?? port.port),
  );
  return { candidates: bases.map(unplaced), left: [] };
}

const unplaced = (apiBase: string): Candidate => ({ apiBase, node: null, isOutright: false });

type ServicePort = ClusterService['spec']['ports'][number];

const schemeOf = ({ name, appProtocol }: ServicePort): Scheme =>
  (appProtocol ?? name) === 'https' ? 'https' : 'http';

/** Without a path, the default path of engines is used. Anyone who can write services controls this value, so nothing else is dialled. */
function annotatedBase(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  const { username, password, search, hash } = url;
  if ([username, password, search, hash].some((part) => part !== '')) return null;
  return url.pathname === '/' ? `${url.origin}/v1` : url.href.replace(/\/+$/, '');
}

function ofPod(pod: ClusterPod, addresses: ReadonlyMap<string, string>): readonly Candidate[] {
  const { hostNetwork, nodeName, containers } = pod.spec;
  if (nodeName === undefined || !isReady(pod)) return [];
  const ports = containers.flatMap(hostNetwork === true ? hostNetworkPorts : declaredHostPorts);
  return ports.flatMap(({ port, hostIp }) => {
    const host = hostIp ?? addresses.get(nodeName);
    if (host === undefined || isLoopback(host)) return [];
    const apiBase = apiBaseOf('http', host, port);
    return [{ apiBase, node: nodeName, isOutright: false }];
  });
}

/** Starting, terminating and unready pods are not advertised. */
const isReady = ({ status }: ClusterPod): boolean =>
  status.phase === 'Running' &&
  status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');

/** By node name. */
const internalAddresses = (nodes: readonly ClusterNode[]): ReadonlyMap<string, string> =>
  new Map(
    nodes.flatMap(({ metadata, status }) => {
      const own = status.addresses.filter(({ type }) => type === 'InternalIP');
      const found = own.find(({ address }) => isIP(address) !== 0);
      return found === undefined ? [] : [[metadata.name, found.address] as const];
    }),
  );

const isLoopback = (host: string): boolean => host.startsWith('127.') || host === '::1';
