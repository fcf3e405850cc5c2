// The naming rule of providers that hosts register (specification, "Host-registration agent"): `<host>-<model>-<port>` on a bare host,
// `<cluster>-<node>-<model>-<port>` under Kubernetes.

/** Null is a part that is not known. */
export type NameParts = Readonly<{
  /** The host, or the cluster under Kubernetes. */
  first: string | null;
  /** Under Kubernetes alone. */
  node: string | null;
  model: string | null;
  port: number;
}>;

/** The longest name that a provider may have. */
const nameMax = 200;

/** A part that is not known is left out. A model whose name would make it too long is cut, so that the port still tells two apart. */
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

/** The port that is dialled, also when the address does not say it. */
export function portOf(apiBase: string): number {
  const { port, protocol } = new URL(apiBase);
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}
