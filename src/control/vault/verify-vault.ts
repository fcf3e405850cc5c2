// Verifies the vault. The log names every item and erasure, and an item opens only in its own row.
// So this finds rows that were deleted, emptied, restored, added or swapped by hand. Fingerprints
// in the log show whether the fingerprint key is the original one.

import type { Queryable } from '@databases/pg';

import { compareVault, countVault, firstPlainName } from '../../db/vault-check.ts';
import type { VaultFault, VaultFinding } from '../../db/vault-check.ts';
import { createItemCheck, openFingerprints } from '../../db/vault.ts';
import type { EncryptionKeys } from '../../db/vault.ts';
import type { Problem } from '../log/walk.ts';

export type VaultCheck = Readonly<{
  /** Items with content. */
  items: number;
  /** True if each of them was opened with the encryption key. */
  opened: boolean;
  problems: readonly Problem[];
}>;

/** Per fault. */
const namedMax = 20;
const batchItems = 500;

const says: Readonly<Record<VaultFault, string>> = {
  missing: 'is missing from the vault',
  emptied: 'is empty in the vault, but no event records its erasure',
  returned: 'is in the vault, but an event records its erasure',
  unnamed: 'is in the vault, but no event names it',
};

/** Without `keys`, the content is not checked. It is neither stored nor reported. */
export async function verifyVault(db: Queryable, keys: EncryptionKeys | null): Promise<VaultCheck> {
  const found = await compareVault(db, namedMax);
  const { items, hasFingerprintKey } = await countVault(db);
  const compared = found.map(({ fault, ref, position }) => ({
    position,
    problem: `item ${ref} ${says[fault]}`,
  }));
  const isKeyMissing = !hasFingerprintKey && items > 0;
  const problems = [
    ...compared,
    ...unnamedRest(found),
    ...(isKeyMissing ? [{ position: null, problem: noFingerprintKey }] : []),
    ...(keys === null ? [] : await otherFingerprints(db, keys)),
    ...(keys === null ? [] : await unreadable(db, keys)),
  ];
  return { items, opened: keys !== null, problems };
}

const noFingerprintKey = 'the fingerprint key of the database is missing from the vault';

/** Finds a replaced fingerprint key. */
async function otherFingerprints(db: Queryable, keys: EncryptionKeys): Promise<readonly Problem[]> {
  const fingerprint = await openFingerprints(db, keys);
  const name = await firstPlainName(db);
  if (fingerprint === null || name === null) return [];
  if (fingerprint(name.text) === name.fingerprint) return [];
  return [{ position: name.position, problem: replacedFingerprintKey }];
}

const replacedFingerprintKey =
  'a fingerprint of a name does not match the fingerprint key in the vault, which was replaced';

function unnamedRest(found: readonly VaultFinding[]): readonly Problem[] {
  const byFault = Map.groupBy(found, ({ fault }) => fault);
  return [...byFault].flatMap(([fault, named]) => {
    const rest = (named[0]?.count ?? 0) - named.length;
    return rest > 0 ? [{ position: null, problem: `${rest} more: item ${says[fault]}` }] : [];
  });
}

async function unreadable(db: Queryable, keys: EncryptionKeys): Promise<readonly Problem[]> {
  const open = createItemCheck(keys);
  const problems: Problem[] = [];
  let count = 0;
  let after: string | null = null;
  do {
    const batch = await open(db, { after, limit: batchItems });
    count += batch.unreadable.length;
    for (const { ref, problem } of batch.unreadable.slice(0, namedMax - problems.length)) {
      const what = `item ${ref} of the vault cannot be opened: ${problem}`;
      problems.push({ position: null, problem: what });
    }
    after = batch.last;
  } while (after !== null);
  if (count === problems.length) return problems;
  const rest = `${count - problems.length} more items of the vault cannot be opened`;
  return [...problems, { position: null, problem: rest }];
}
