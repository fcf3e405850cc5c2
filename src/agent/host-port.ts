// On which ports of its node a container listens.

import type { ClusterContainer } from './cluster-objects.ts';

export type HostPort = Readonly<{
  port: number;
  /** The one address of the node that it listens on; null is every address. */
  hostIp: string | null;
}>;

/** Of a container with a network of its own: what it declares, alone. */
export const declaredHostPorts = ({ ports }: ClusterContainer): readonly HostPort[] =>
  ports.flatMap(({ hostPort, hostIP, protocol }) =>
    hostPort === undefined || hostPort === 0 || !isTcp(protocol)
      ? []
      : [{ port: hostPort, hostIp: anyAddress.has(hostIP ?? '') ? null : (hostIP ?? null) }],
  );

const anyAddress: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/**
 * Of a container in the network of its node. The order is the specification's ("Host-registration agent"): a declared hostPort, a declared
 * containerPort, the `--port` flag of the command, then the numeric port of an httpGet readiness, liveness or startup probe.
 */
export function hostNetworkPorts(container: ClusterContainer): readonly HostPort[] {
  const declared = declaredHostPorts(container);
  if (declared.length > 0) return declared;
  const own = container.ports
    .filter(({ protocol }) => isTcp(protocol))
    .map(({ containerPort }) => containerPort);
  const ports = own.length > 0 ? own : [...atMostOne(flagPort(container) ?? probePort(container))];
  return ports.map((port) => ({ port, hostIp: null }));
}

const isTcp = (protocol: string | undefined): boolean => (protocol ?? 'TCP') === 'TCP';

const atMostOne = (port: number | null): readonly number[] => (port === null ? [] : [port]);

/** `--port 8000` and `--port=8000`, as words of their own or inside the text of a shell. The last one counts, as programs take it. */
function flagPort({ command, args }: ClusterContainer): number | null {
  const words = [...command, ...args].flatMap((word) => word.split(/\s+/));
  const given = words.flatMap((word, index) => {
    if (word === '--port') return [words[index + 1] ?? ''];
    return word.startsWith('--port=') ? [word.slice('--port='.length)] : [];
  });
  const ports = given.map((text) => text.replace(/^(["'])(.*)\1$/, '$2')).flatMap(readPort);
  return ports.at(-1) ?? null;
}

function readPort(text: string): readonly number[] {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return isPort(port) ? [port] : [];
}

/** A name refers to a declared port, and there is none. */
function probePort({
  readinessProbe,
  livenessProbe,
  startupProbe,
}: ClusterContainer): number | null {
  const ports = [readinessProbe, livenessProbe, startupProbe].filter(
    (port) => typeof port === 'number',
  );
  return ports.find(isPort) ?? null;
}

const isPort = (port: number): boolean => port >= 1 && port <= 65_535;
