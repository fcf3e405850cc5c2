// Builds the names of registered providers (specification, "Host-registration agent"): `<host>-<model>-<port>` on a bare host,
// `<cluster>-<node>-<model>-<port>` under Kubernetes.

/** Null means unknown. */
export type NameParts = Readonly<{
  /** The host, or under Kubernetes the cluster. */
  first: string | null;
  /** Only under Kubernetes. */
  node: string | null;
  model: string | null;
  port: number;
}>;

const nameMax = 200;

/** Omits unknown parts. A long model name is cut, so that the port still distinguishes providers. */
export function providerName({ first, node, model, port }: NameParts): string {
  const head = joined([first, node]);
  const tail = String(port);
  const room = nameMax - tail.length - 1;
  const body = joined([head.slice(0, room), cut(model, room - head.length - 1)]);
  return joined([body, tail]);
}

const cut = (part: string | null, max: number): string | null =>
  part === null ? null : cleaned(part).slice(0, Math.max(0, max));

const joined = (parts: readonly (string | null)[]): string =>
  parts
    .map((part) => cleaned(part ?? ''))
    .filter((part) => part !== '')
    .join('-');

const cleaned = (part: string): string => part.toLowerCase().replace(/[^a-z0-9.]/gu, '-');

/** The default port of the scheme if the address has none. */
export function portOf(apiBase: string): number {
  const { port, protocol } = new URL(apiBase);
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
