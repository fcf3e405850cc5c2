// Reads names of principals. The name of a user is personal data in the vault; that of a service
// account is in the state.

import type { Queryable } from '@databases/pg';

import type { StoredName } from '../../../events/principal.ts';
import type { Vault } from '../../db/vault.ts';
import type { PrincipalId } from '../../lib/ids.ts';

type Named = Readonly<{ id: PrincipalId; name: StoredName }>;

/** In a mutation, `db` is its transaction. */
export type Revealing = Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>;

/** The name of an erased user is empty. */
export async function principalNames(
  { db, vault }: Revealing,
  principals: readonly Named[],
): Promise<ReadonlyMap<PrincipalId, string>> {
  const refs = principals.flatMap(({ name }) => name.ref ?? []);
  const revealed = await vault.reveal(db, refs);
  return new Map(
    principals.map(({ id, name }) => [id, name.text ?? revealed.get(name.ref ?? '') ?? '']),
  );
}
