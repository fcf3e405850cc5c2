// The calls of a change request as they lie in the vault: as they were given, and as the commands and secrets that their routes made of
// them then. So what is approved is what is applied: nothing is dialled, hashed or read from elsewhere in between.

import type { Queryable } from '@databases/pg';

import type { ChangeRequest } from '../../../projections/config/change-request.ts';
import type { Secret, Vault } from '../../db/vault.ts';
import type { SingleCommand } from '../../deciders/decide.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';

/** `body` as the call takes it. */
export type DraftedCall = Readonly<{ method: string; path: string; body?: unknown }>;

export type HeldBody = Readonly<{
  calls: readonly DraftedCall[];
  commands: readonly SingleCommand[];
  /** The plaintexts behind the refs in the commands. */
  secrets: readonly Secret[];
}>;

/** On its way into the vault. `digest` is keyed: it tells nothing of the bytes, but whether they are others. */
export type SealedBody = Readonly<{ ref: string; digest: string; secret: Secret }>;

export function sealBody(
  { vault, newId }: Readonly<{ vault: Pick<Vault, 'fingerprint'>; newId: () => string }>,
  body: HeldBody,
): SealedBody {
  const plaintext = JSON.stringify(body);
  const ref = newId();
  const secret = { ref, class: 'change_request', plaintext } as const;
  return { ref, digest: vault.fingerprint(plaintext), secret };
}

export type ReadBody = HeldBody & Readonly<{ ref: string }>;

/** Refuses when it is erased, cannot be opened, or is not what was drafted. */
export async function readBody(
  { db, vault }: Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal' | 'fingerprint'> }>,
  { id, draft }: Pick<ChangeRequest, 'id' | 'draft'>,
): Promise<ReadBody | Refusal> {
  const ref = draft?.body_ref ?? null;
  const text = ref === null ? undefined : (await vault.reveal(db, [ref])).get(ref);
  if (ref === null || text === undefined || vault.fingerprint(text) !== draft?.digest) {
    const message = `the calls of change request ${id} are not in the vault any more; draft it again`;
    return refuse('conflict', message, { param: 'body' });
  }
  const body: unknown = JSON.parse(text);
  if (!isHeld(body)) throw new Error(`the calls of change request ${id} cannot be read`);
  return { ...body, ref };
}

/** That it is whole; what is in it is believed, because its digest is that of what was written. */
const isHeld = (value: unknown): value is HeldBody =>
  typeof value === 'object' &&
  value !== null &&
  ['calls', 'commands', 'secrets'].every((name) => Array.isArray(Reflect.get(value, name)));
