// Compares declarative files with the current resources and with what the last apply of the same
// set managed (docs/guides/configuration-as-code.md).

import { canonicalJson } from '../../lib/canonical-json.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * `key` identifies the resource in its list; `name` is shown to people. `fields` are compared;
 * `shown` is their form in a file.
 */
export type HeldRecord = Readonly<{
  list: string;
  stream: string;
  key: string;
  name: string;
  fields: Fields;
  shown: Fields;
}>;

/** `fields` includes defaults for fields that are not `stated`. */
export type WantedRecord = Readonly<{
  list: string;
  at: number;
  key: string;
  name: string;
  /** The key of the resource that it renames. */
  was: string | null;
  stated: readonly string[];
  fields: Fields;
  shown: Fields;
}>;

/** The fields that an apply manages. `name` is null if it is not recorded. */
export type ManagedRecord = Readonly<{
  list: string;
  set: string;
  name: string | null;
  fields: readonly string[];
}>;

export type Policy = Readonly<{
  set: string;
  /** Lists from which resources are deleted that neither the files nor another set manage. */
  prune: ReadonlySet<string>;
}>;

export type FieldChange = Readonly<{ field: string; before: unknown; after: unknown }>;

export type RecordChange = Readonly<{
  action: 'create' | 'update' | 'delete';
  list: string;
  name: string;
  wanted: WantedRecord | null;
  held: HeldRecord | null;
  fields: readonly FieldChange[];
  /** Null for a resource that never existed. */
  stream: string | null;
}>;

export type Reconciled = Readonly<{
  changes: readonly RecordChange[];
  /** Every resource of the files with its current counterpart. */
  pairs: readonly Readonly<{ wanted: WantedRecord; held: HeldRecord | null }>[];
  /** Current resources that are not in the files and stay. */
  unmanaged: readonly HeldRecord[];
}>;

export function reconcile(
  held: readonly HeldRecord[],
  wanted: readonly WantedRecord[],
  managed: ReadonlyMap<string, ManagedRecord>,
  policy: Policy,
): Reconciled | Refusal {
  const pairs = pairUp(held, wanted, managed, policy.set);
  const taken = new Set(pairs.flatMap(({ held }) => held?.stream ?? []));
  for (const { wanted: one, held: standing } of pairs) {
    const { set = policy.set } = managed.get(standing?.stream ?? '') ?? {};
    if (set === policy.set) continue;
    const param = placeOf(one);
    return refuse('conflict', `${param}: ${one.name} is managed by the set ${set}`, { param });
  }
  const left = held.filter(({ stream }) => !taken.has(stream));
  const isGone = ({ list, stream }: HeldRecord): boolean => {
    const set = managed.get(stream)?.set;
    return set === policy.set || (set === undefined && policy.prune.has(list));
  };
  const changed = pairs.flatMap((pair) => changeOf(pair, managed, policy.set) ?? []);
  return {
    changes: [
      ...changed,
      ...left.filter(isGone).map((one) => ({
        action: 'delete' as const,
        list: one.list,
        name: one.name,
        wanted: null,
        held: one,
        fields: [],
        stream: one.stream,
      })),
    ],
    pairs,
    unmanaged: left.filter((one) => !isGone(one) && !managed.has(one.stream)),
  };
}

export const placeOf = ({ list, at }: Pick<WantedRecord, 'list' | 'at'>): string => `${list}.${at}`;

type Pair = Reconciled['pairs'][number];

/**
 * Matches by the name at the last apply, then by the current name, then by the former name. A
 * resource that was renamed manually keeps its new name if the files use it.
 */
function pairUp(
  held: readonly HeldRecord[],
  wanted: readonly WantedRecord[],
  managed: ReadonlyMap<string, ManagedRecord>,
  set: string,
): readonly Pair[] {
  const [byApply, byKey] = [new Map<string, HeldRecord>(), new Map<string, HeldRecord>()];
  for (const one of held) {
    const before = managed.get(one.stream);
    if (before?.set === set && before.name !== null) byApply.set(`${one.list} ${before.name}`, one);
    byKey.set(`${one.list} ${one.key}`, one);
  }
  const taken = new Set<HeldRecord>();
  const found = new Map<WantedRecord, HeldRecord>();
  const named = new Set(wanted.map(({ list, key }) => `${list} ${key}`));
  const ways = [
    ({ list, key }: WantedRecord) => {
      const applied = byApply.get(`${list} ${key}`);
      const isNamed = applied?.key !== key && named.has(`${list} ${applied?.key}`);
      return isNamed ? undefined : applied;
    },
    ({ list, key }: WantedRecord) => byKey.get(`${list} ${key}`),
    ({ list, was }: WantedRecord) => (was === null ? undefined : byKey.get(`${list} ${was}`)),
  ];
  for (const way of ways) {
    for (const one of wanted) {
      const standing = found.has(one) ? undefined : way(one);
      if (standing === undefined || taken.has(standing)) continue;
      found.set(one, standing);
      taken.add(standing);
    }
  }
  return wanted.map((one) => ({ wanted: one, held: found.get(one) ?? null }));
}

function changeOf(
  { wanted, held }: Pair,
  managed: ReadonlyMap<string, ManagedRecord>,
  set: string,
): RecordChange | null {
  const { list, key, name } = wanted;
  if (held === null) {
    const fields = Object.entries(wanted.shown).flatMap(([field, after]) =>
      same(after, null) ? [] : [{ field, before: null, after }],
    );
    const [stream] =
      [...managed].find(([, one]) => one.set === set && one.list === list && one.name === key) ??
      [];
    return { action: 'create', list, name, wanted, held, fields, stream: stream ?? null };
  }
  const compared = new Set([...wanted.stated, ...(managed.get(held.stream)?.fields ?? [])]);
  const fields = [...compared].flatMap((field) => {
    // A field that the files no longer state keeps its value if it has no default.
    if (!(field in wanted.fields) || same(held.fields[field], wanted.fields[field])) return [];
    return [{ field, before: held.shown[field] ?? null, after: wanted.shown[field] ?? null }];
  });
  const renamed = held.key === key ? [] : [{ field: 'name', before: held.key, after: key }];
  if (fields.length + renamed.length === 0) return null;
  const changed = [...renamed, ...fields];
  return { action: 'update', list, name, wanted, held, fields: changed, stream: held.stream };
}

/** Null is equal to absent. */
const same = (a: unknown, b: unknown): boolean =>
  canonicalJson(withoutNulls(a)) === canonicalJson(withoutNulls(b));

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([key, member]) => [key, withoutNulls(member)]),
  );
}
