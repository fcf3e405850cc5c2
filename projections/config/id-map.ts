// Implements a map from ids to values with cheap copies. Values are in pages of 256 ids. A copy
// shares all pages and copies one at its first write, so folding one event costs one page.

/** Equal to the buckets of the content hash. */
export const pageIds = 256;

/** By id minus the first id of the page, with gaps. */
export type IdPage<Value> = readonly (Value | undefined)[];

/**
 * Sorted by id. `pages` are keyed by number and never empty. Once the map is complete, no page
 * changes.
 */
export type ReadonlyIdMap<Value> = ReadonlyMap<number, Value> &
  Readonly<{ pages: ReadonlyMap<number, IdPage<Value>> }>;

/** Values must not be `undefined`. */
export class IdMap<Value> implements ReadonlyMap<number, Value> {
  readonly pages: Map<number, IdPage<Value>>;
  size: number;
  /** The pages that this map created and may write. */
  readonly #own = new Map<number, (Value | undefined)[]>();

  constructor(base?: ReadonlyIdMap<Value>) {
    this.pages = new Map(base?.pages);
    this.size = base?.size ?? 0;
  }

  get(id: number): Value | undefined {
    return this.pages.get(Math.floor(id / pageIds))?.[id % pageIds];
  }

  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  set(id: number, value: Value): void {
    const page = this.#ownPage(Math.floor(id / pageIds));
    if (page[id % pageIds] === undefined) this.size += 1;
    page[id % pageIds] = value;
  }

  delete(id: number): void {
    if (!this.has(id)) return;
    const number = Math.floor(id / pageIds);
    const page = this.#ownPage(number);
    page[id % pageIds] = undefined;
    this.size -= 1;
    if (page.some((value) => value !== undefined)) return;
    this.pages.delete(number);
    this.#own.delete(number);
  }

  entries(): ArrayIterator<[number, Value]> {
    const found: [number, Value][] = [];
    this.forEach((value, id) => found.push([id, value]));
    return found.values();
  }

  keys(): ArrayIterator<number> {
    const found: number[] = [];
    this.forEach((_value, id) => found.push(id));
    return found.values();
  }

  values(): ArrayIterator<Value> {
    const found: Value[] = [];
    this.forEach((value) => found.push(value));
    return found.values();
  }

  [Symbol.iterator](): ArrayIterator<[number, Value]> {
    return this.entries();
  }

  forEach(visit: (value: Value, id: number, map: ReadonlyMap<number, Value>) => void): void {
    for (const [number, page] of pagesInOrder(this)) {
      for (let at = 0; at < page.length; at++) {
        const value = page[at];
        if (value !== undefined) visit(value, number * pageIds + at, this);
      }
    }
  }

  #ownPage(number: number): (Value | undefined)[] {
    const own = this.#own.get(number);
    if (own !== undefined) return own;
    const page = this.pages.get(number)?.slice() ?? emptyPage<Value>();
    this.pages.set(number, page);
    this.#own.set(number, page);
    return page;
  }
}

const emptyPage = <Value>(): (Value | undefined)[] =>
  Array.from({ length: pageIds }, (): Value | undefined => undefined);

/** By number. They are nearly always in that order already. */
export const pagesInOrder = <Value>({
  pages,
}: Pick<ReadonlyIdMap<Value>, 'pages'>): [number, IdPage<Value>][] =>
  [...pages].toSorted(([a], [b]) => a - b);

/** In no particular order, without copying them. */
export function findValue<Value>(
  { pages }: Pick<ReadonlyIdMap<Value>, 'pages'>,
  isWanted: (value: Value) => boolean,
): Value | undefined {
  for (const page of pages.values()) {
    const found = page.find((value) => value !== undefined && isWanted(value));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Ascending. Skips shared pages. */
export function differingIds(one: ReadonlyIdMap<unknown>, other: ReadonlyIdMap<unknown>): number[] {
  const numbers = new Set([...one.pages.keys(), ...other.pages.keys()]);
  const ids: number[] = [];
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const [a, b] = [one.pages.get(number), other.pages.get(number)];
    if (a === b) continue;
    for (let at = 0; at < pageIds; at++) {
      if (a?.[at] !== b?.[at]) ids.push(number * pageIds + at);
    }
  }
  return ids;
}
