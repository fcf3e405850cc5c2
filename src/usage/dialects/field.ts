// Describes the fields of a usage object: what each one counts, or why it does not count.

import { membersOf, reportedNameMax, tokenParts, toolsMax } from '../counts.ts';
import type { PartKey, UnitName } from '../counts.ts';

export type Given = Readonly<Record<string, unknown>>;

type Count = 'promptTokens' | 'completionTokens' | PartKey;

/** The counts while they are read. Null until a field is found. */
export type Found = Record<Count, number | null> & {
  serverToolCalls: Record<string, number> | null;
  units: Record<string, number> | null;
  serviceTier: string | null;
};

export const nothingFound: Readonly<Found> = {
  promptTokens: null,
  completionTokens: null,
  ...membersOf(
    tokenParts.map(({ key }) => key),
    null,
  ),
  serverToolCalls: null,
  units: null,
  serviceTier: null,
};

export type Field = Readonly<{
  read: (value: unknown, found: Found) => void;
  /** The paths of members that are not described. */
  unknownIn: (value: unknown) => readonly string[];
}>;

/** By name. They are read in this order, and the first one of a count has priority. */
export type Fields = Readonly<Record<string, Field>>;

export type Dialect = Readonly<{
  /** True if the object is of this dialect. */
  claims: (usage: Given) => boolean;
  usage: Field;
  /** Completes what single fields do not say. */
  settle: (found: Found, usage: Given) => void;
}>;

export const field = (read: Field['read']): Field => ({ read, unknownIn: () => [] });

/** The count, unless an earlier field was found. */
export const is = (count: Count): Field =>
  field((value, found) => {
    if (isCount(value)) found[count] ??= value;
  });

export const addsTo = (count: Count): Field =>
  field((value, found) => {
    if (isCount(value)) add(found, count, value);
  });

/** Limited to what a usage row can hold. */
export function add(found: Found, count: Count, more: number): void {
  found[count] = Math.min((found[count] ?? 0) + more, Number.MAX_SAFE_INTEGER);
}

export const subtractsFrom = (count: Count): Field =>
  field((value, found) => {
    const before = found[count];
    if (isCount(value) && before !== null) found[count] = Math.max(0, before - value);
  });

export const serviceTier: Field = field((value, found) => {
  found.serviceTier ??= readName(value);
});

/** Calls of a tool that the provider ran. */
export const callsOf = (tool: string): Field =>
  field((value, found) => addCalls(found, tool, value));

/** A count of something other than tokens. Parts of seconds are rounded up. */
export const isUnits = (name: UnitName): Field =>
  field((value, found) => {
    const units = typeof value === 'number' ? Math.ceil(value) : value;
    if (isCount(units) && units > 0) (found.units ??= {})[name] ??= units;
  });

export const both = (first: Field, second: Field): Field =>
  field((value, found) => {
    first.read(value, found);
    second.read(value, found);
  });

const nothing = field(() => undefined);

/** The reasons why a field does not count. */
export const ignored = {
  /** It follows from other fields. */
  derived: nothing,
  /** A part of a total without a price of its own at any vendor. */
  inTotal: nothing,
  /** An amount of money. The cost of the request is read apart from the counts. */
  money: nothing,
  /** An amount of something that is not billed by itself, such as the time of an answer. */
  unit: nothing,
  /** A text or a flag that does not change the price of a token. */
  label: nothing,
} as const;

/** For a few numbers. */
function insertInOrder(numbers: number[], number: number): void {
  let at = numbers.length;
  for (; at > 0 && (numbers[at - 1] ?? 0) > number; at--) numbers[at] = numbers[at - 1] ?? 0;
  numbers[at] = number;
}

const nowhere = { name: '', read: nothing.read };

export function object(fields: Fields): Field {
  const known = Object.entries(fields).map(([name, { read }]) => ({ name, read }));
  const places = new Map(known.map(({ name }, place) => [name, place]));
  return {
    // An answer has few of the fields. They are read in the order of the table.
    read(value, found) {
      if (!isGiven(value)) return;
      const given: number[] = [];
      for (const name of Object.keys(value)) {
        const place = places.get(name);
        if (place !== undefined) insertInOrder(given, place);
      }
      for (const place of given) {
        const { name, read } = known[place] ?? nowhere;
        read(value[name], found);
      }
    },
    unknownIn: (value) =>
      !isGiven(value)
        ? []
        : Object.entries(value).flatMap(([name, member]) => {
            const described = Object.hasOwn(fields, name) ? fields[name] : undefined;
            if (described === undefined) return [name];
            return described.unknownIn(member).map((path) => `${name}.${path}`);
          }),
  };
}

/** A list of objects with a count each, such as `{modality: 'AUDIO', tokenCount: 7}`. */
export const entries = (names: Readonly<{ by: string; count: string }>, fields: Fields): Field => ({
  read(value, found) {
    for (const entry of listOf(value)) {
      const name = String(entry[names.by]);
      if (Object.hasOwn(fields, name)) fields[name]?.read(entry[names.count], found);
    }
  },
  unknownIn: (value) =>
    listOf(value)
      .flatMap((entry) => Object.entries(entry))
      .filter(([name]) => name !== names.count)
      .map(([name, member]) => (name === names.by ? String(member) : name))
      .filter((name) => !Object.hasOwn(fields, name)),
});

/** An object whose members count the calls of a tool each, such as `web_search_requests`. */
export const toolCalls = (suffix: string): Field => ({
  read(value, found) {
    if (!isGiven(value)) return;
    for (const [name, count] of Object.entries(value)) {
      if (name.endsWith(suffix)) addCalls(found, name.slice(0, -suffix.length), count);
    }
  },
  unknownIn: (value) =>
    isGiven(value) ? Object.keys(value).filter((name) => !name.endsWith(suffix)) : [],
});

function addCalls(found: Found, tool: string, count: unknown): void {
  if (!isCount(count) || count === 0 || !toolName.test(tool)) return;
  const calls = (found.serverToolCalls ??= {});
  const before = countOf(calls, tool) ?? 0;
  if (before > 0 || Object.keys(calls).length < toolsMax) {
    calls[tool] = Math.min(before + count, Number.MAX_SAFE_INTEGER);
  }
}

const toolName = /^[a-z]\w{0,63}$/i;

/** Null for a text that does not fit in a usage row. */
export const readName = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= reportedNameMax && isPlain(value)
    ? value
    : null;

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

export const isGiven = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): readonly Given[] =>
  Array.isArray(value) ? value.filter(isGiven) : [];

/** Null for a count that cannot be valid. */
export const countOf = (usage: Given, name: string): number | null => {
  const value = Object.hasOwn(usage, name) ? usage[name] : null;
  return isCount(value) ? value : null;
};

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
