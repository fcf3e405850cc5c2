// Restores a credential, whose secret is in the vault unless it was erased.

import type { StoredCredential } from '../../../events/provider.ts';
import type { Loss } from './kind.ts';

type Held = Readonly<{ credential: StoredCredential | null }>;
type Vaulted = Readonly<{
  erased: ReadonlySet<string>;
  /** Replaces an erased credential: the present one, if it is sent to the same origin. */
  standIn: StoredCredential | null;
}>;

export function restoredCredential(
  { credential }: Held,
  { erased, standIn }: Vaulted,
): Held & Readonly<{ losses: readonly Loss[] }> {
  if (credential === null || !erased.has(credential.ref)) return { credential, losses: [] };
  return { credential: standIn, losses: [{ field: 'credential', reason: 'erased' }] };
}

export const sameCredential = (a: StoredCredential | null, b: StoredCredential | null): boolean =>
  a?.ref === b?.ref && a?.kind === b?.kind;
