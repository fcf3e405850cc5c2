// Caches the plaintexts of a snapshot. Each is opened once and kept while something refers to it.

import type { Queryable } from '@databases/pg';

import type { Vault } from '../../db/vault.ts';

export type SnapshotSecrets = Readonly<{
  /** Drops all others. */
  keep: (refs: readonly string[]) => Promise<void>;
  get: (ref: string) => string | undefined;
  /**
   * Omits items that were erased or cannot be opened. Only the entities that need them drop out of
   * routing.
   */
  of: (refs: readonly string[]) => FoundSecrets;
}>;

type FoundSecrets = Readonly<{
  secrets: Readonly<Record<string, string>>;
  /** The refs that were omitted. */
  missing: readonly string[];
}>;

type Dependencies = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

/**
 * Bounds a statement, so that tens of thousands of refs block neither the database nor this process
 * for long.
 */
const revealedMax = 5_000;

export function createSnapshotSecrets({ db, vault }: Dependencies): SnapshotSecrets {
  const held = new Map<string, string>();
  return {
    keep: async (refs) => {
      const unknown = refs.filter((ref) => !held.has(ref));
      for (let done = 0; done < unknown.length; done += revealedMax) {
        const revealed = await vault.reveal(db, unknown.slice(done, done + revealedMax));
        for (const [ref, secret] of revealed) held.set(ref, secret);
      }
      if (held.size > refs.length) forgetOthers(held, refs);
    },
    get: (ref) => held.get(ref),
    of: (refs) => {
      const secrets: Record<string, string> = {};
      const missing: string[] = [];
      for (const ref of refs) {
        const secret = held.get(ref);
        if (secret === undefined) missing.push(ref);
        else secrets[ref] = secret;
      }
      return { secrets, missing };
    },
  };
}

function forgetOthers(held: Map<string, string>, refs: readonly string[]): void {
  const kept = new Set(refs);
  for (const ref of held.keys()) if (!kept.has(ref)) held.delete(ref);
}
