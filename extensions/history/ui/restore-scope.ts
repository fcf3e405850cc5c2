// Decides which records a restore includes, and names the reasons why fields are not restored.

const lossWords = {
  erased: 'it was erased',
  revoked: 'the key was revoked and stays revoked',
  replaced: 'it has changed since; the old value is not restored',
  observed: 'it was reported by the provider, not configured',
  kept: 'it belongs to the log, which continues',
} as const;

export const lossText = (reason: keyof typeof lossWords): string => lossWords[reason];

/** Empty `streams` means all records. */
export type Scope = Readonly<{ kind: 'all' | 'only' | 'except'; streams: readonly string[] }>;

const everything: Scope = { kind: 'all', streams: [] };

/** Ignores unknown streams. */
export function readScope({ only, except }: Readonly<Record<string, string>>): Scope {
  const [alone, staying] = [readEntities(only), readEntities(except)];
  if (alone.length > 0) return { kind: 'only', streams: alone };
  return staying.length > 0 ? { kind: 'except', streams: staying } : everything;
}

const readEntities = (text = ''): string[] => [
  ...new Set(text.split(',').filter((name) => /^[a-z_\d]+-\d+$/.test(name))),
];

export const scopeBody = ({ kind, streams }: Scope): { only?: string[]; except?: string[] } =>
  kind === 'all' ? {} : { [kind]: [...streams] };

export const scopeQuery = ({ kind, streams }: Scope): Record<string, string> =>
  kind === 'all' ? {} : { [kind]: streams.join(',') };

/** Null if no record remains. */
export function without({ kind, streams }: Scope, left: ReadonlySet<string>): Scope | null {
  if (kind !== 'only') return { kind: 'except', streams: [...new Set([...streams, ...left])] };
  const rest = streams.filter((stream) => !left.has(stream));
  return rest.length === 0 ? null : { kind, streams: rest };
}

type Refused = Readonly<{ needs: string | null }>;

/**
 * `back` are records to include, `stay` records to leave out, so that the restore becomes possible.
 */
export type Way = Readonly<{ back: readonly string[]; stay: readonly string[]; scope: Scope }>;

/** Null if no other selection helps. */
export function wayAround({ kind, streams }: Scope, conflicts: readonly Refused[]): Way | null {
  const needs = new Set(conflicts.map((conflict) => conflict.needs));
  const named = [...needs].filter((one) => one !== null);
  if (kind === 'all' || named.length === 0 || named.length < needs.size) return null;
  const chosen = new Set(streams);
  if (kind === 'only') {
    return { back: named, stay: [], scope: { kind, streams: [...chosen.union(new Set(named))] } };
  }
  // Includes records that are needed, and leaves out records that other records need.
  const back = named.filter((one) => chosen.has(one));
  const stay = named.filter((one) => !chosen.has(one));
  const staying = [...chosen.symmetricDifference(new Set(named))];
  const scope: Scope = staying.length === 0 ? everything : { kind, streams: staying };
  return { back, stay, scope };
}
