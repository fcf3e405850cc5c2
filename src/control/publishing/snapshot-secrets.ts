// Finds the plaintexts of a snapshot, page by page. Each is opened once and kept while its page or
// the next form of that page refers to it.

import { isDeepStrictEqual } from 'node:util';

import type { Queryable } from '@databases/pg';

import type { Vault } from '../../db/vault.ts';
import { secretsOn } from '../../snapshot/paged.ts';
import type { Pages } from '../../snapshot/paged.ts';

/**
 * Null for items that were erased or cannot be opened. Only the entities that need them drop out of
 * routing. The next call tries them again.
 */
export type SnapshotSecrets<Member> = (pages: Pages<Member>) => Promise<Pages<string | null>>;

type Dependencies = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

/**
 * Bounds a statement, so that tens of thousands of refs block neither the database nor this process
 * for long.
 */
const revealedMax = 5_000;

/** Returns the same pages if nothing changed. Calls must not overlap. */
export function createSnapshotSecrets<Member>(
  { db, vault }: Dependencies,
  refOf: (member: Member) => string | null,
): SnapshotSecrets<Member> {
  let known: Pages<Member> = new Map();
  let held: Pages<string | null> = new Map();
  /** Pages on which a secret could not be read. */
  let incomplete: ReadonlySet<number> = new Set();

  const reveal = async (refs: readonly string[], open: Map<string, string>): Promise<void> => {
    const starts = Array.from({ length: Math.ceil(refs.length / revealedMax) }, (_, at) => at);
    // Two at a time, so that the database reads while this process decrypts.
    const revealing = starts.values();
    const revealNext = async (): Promise<void> => {
      for (const at of revealing) {
        const part = refs.slice(at * revealedMax, (at + 1) * revealedMax);
        for (const [ref, secret] of await vault.reveal(db, part)) open.set(ref, secret);
      }
    };
    await Promise.all([revealNext(), revealNext()]);
  };

  return async (pages) => {
    const isStale = (number: number): boolean =>
      pages.get(number) !== known.get(number) || incomplete.has(number);
    if (pages === known && incomplete.size === 0) return held;
    const stale = [...pages.keys()].filter(isStale);
    const open = new Map(stale.flatMap((number) => secretsOn(number, known, held, refOf)));
    const refs = stale.flatMap((number) => (pages.get(number) ?? []).map(refOf));
    const unknown = refs.filter((ref): ref is string => ref !== null && !open.has(ref));
    await reveal(unknown, open);
    const texts = new Map<number, readonly (string | null)[]>();
    const missing = new Set<number>();
    for (const [number, members] of pages) {
      const before = held.get(number) ?? [];
      const page = isStale(number)
        ? members.map((one) => open.get(refOf(one) ?? '') ?? null)
        : before;
      const isRetried = incomplete.has(number) && members === known.get(number);
      texts.set(number, isRetried && isDeepStrictEqual(page, before) ? before : page);
      if (page === before) continue;
      if (members.some((one, at) => refOf(one) !== null && page[at] === null)) missing.add(number);
    }
    [known, held, incomplete] = [pages, texts, missing];
    return held;
  };
}
