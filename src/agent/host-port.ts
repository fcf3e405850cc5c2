// Finds the node ports that a container listens on.

import type { ClusterContainer } from './cluster-objects.ts';

export type HostPort = Readonly<{
  port: number;
  /** The node address that it listens on; null means every address. */
  hostIp: string | null;
}>;

/** A container with its own network has only declared host ports. */
export const declaredHostPorts = ({ ports }: ClusterContainer): readonly HostPort[] =>
  ports.flatMap(({ hostPort, hostIP, protocol }) =>
    hostPort === undefined || hostPort === 0 || !isTcp(protocol)
      ? []
      : [{ port: hostPort, hostIp: anyAddress.has(hostIP ?? '') ? null : (hostIP ?? null) }],
  );

const anyAddress: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);

/**
 * For a container in the network of its node. The specification defines the order
 * ("Host-registration agent"): a declared hostPort, a declared containerPort, the `--port` flag of
 * the command, then the numeric port of an httpGet readiness, liveness or startup probe.
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

/** `--port 8000` or `--port=8000`, as arguments or inside a shell command. The last one counts, as in most programs. */
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

/** A port name refers to a declared port, and none is declared. */
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
