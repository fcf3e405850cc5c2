// What records of principals, keys, tokens and budgets show that is not in the log: names, and what was used and spent.

import type { Queryable } from '@databases/pg';

import { linkedSince } from '../../db/identities.ts';
import { readAdminTokenUses } from '../../db/usage/admin-token-uses.ts';
import { budgetUsages } from '../../db/usage/budget-usage.ts';
import { readKeyUses } from '../../db/usage/key-uses.ts';
import type { PrincipalId } from '../../lib/ids.ts';
import type { Revealing } from './principal-names.ts';

type Named = Readonly<{ principal: string | null; principal_name_ref: string | null }>;

/** Answers with the name of a row's principal; that of one that was erased is the empty string. */
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

/** The texts of principals by their refs, and since when each identity is linked. */
export async function besidePrincipals({ db, vault }: Revealing, rows: readonly Texts[]) {
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

/** When each was last used. */
export const usesOf = { keys: readKeyUses, tokens: readAdminTokenUses } as const;

/** By principal; one whose budget has ended since is not among them. */
export async function spentBy(db: Queryable, ids: readonly PrincipalId[]) {
  const usages = await budgetUsages(db, ids);
  return new Map(usages.map((usage) => [usage.principal_id, usage]));
}
