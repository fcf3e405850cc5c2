// Reads what lists of principals, keys, tokens and budgets show in addition to the log: names, last
// use and spending.

import type { Queryable } from '@databases/pg';

import { linkedSince } from '../../db/identities.ts';
import { readAdminTokenUses } from '../../db/usage/admin-token-uses.ts';
import { budgetUsages } from '../../db/usage/budget-usage.ts';
import { readKeyUses } from '../../db/usage/key-uses.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import type { Revealing } from './principal-names.ts';

type Named = Readonly<{ principal: string | null; principal_name_ref: string | null }>;

/** Returns a function that names the principal of a row. The name is empty if it was erased. */
export async function namesOf({ db, vault }: Revealing, rows: readonly Named[]) {
  const names = await vault.reveal(
    db,
    rows.flatMap((row) => row.principal_name_ref ?? []),
  );
  return ({ principal, principal_name_ref: ref }: Named): string =>
    principal ?? names.get(ref ?? '') ?? '';
}

type Texts = Readonly<{
  name_ref: string | null;
  email_ref: string | null;
  identity_ref: string | null;
}>;

/** Personal data of principals by ref, and the time at which each identity was linked. */
export async function principalDetails({ db, vault }: Revealing, rows: readonly Texts[]) {
  const refs = rows.flatMap((row) => [row.name_ref, row.email_ref, row.identity_ref]);
  return {
    texts: await vault.reveal(
      db,
      refs.filter((ref) => ref !== null),
    ),
    linked: await linkedSince(
      db,
      rows.flatMap((row) => row.identity_ref ?? []),
    ),
  };
}

export const usesOf = { keys: readKeyUses, tokens: readAdminTokenUses } as const;

/** Budgets that were deleted in the meantime are absent. */
export async function spentBy(db: Queryable, ids: readonly PrincipalId[]) {
  const usages = await budgetUsages(db, ids);
  return new Map(usages.map((usage) => [usage.principal_id, usage]));
}
