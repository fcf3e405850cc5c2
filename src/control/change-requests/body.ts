// Stores the calls of a change request in the vault: as given, and as the commands and secrets that
// their routes made of them. What is approved is therefore what is applied, without dialling or
// hashing again. For a restore, only its moment is stored, and the changes are computed whenever
// the calls are read.

import type { Queryable } from '@databases/pg';

import type { ChangeRequest } from '../../../projections/config/change-request.ts';
import type { Database } from '../../db/pool.ts';
import type { Secret, Vault } from '../../db/vault.ts';
import type { SingleCommand } from '../../deciders/decide.ts';
import type { RestoreCommand } from '../../deciders/restore.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { readyRestore } from '../history/restore.ts';
import type { ReadyRestore } from '../history/restore.ts';

export type DraftedCall = Readonly<{ method: string; path: string; body?: unknown }>;

export type HeldBody = Readonly<{
  calls: readonly DraftedCall[];
  commands: readonly SingleCommand[];
  /** The plaintexts for the refs in the commands. */
  secrets: readonly Secret[];
}>;

/** `digest` is keyed, so that it reveals nothing of the content. */
export type SealedBody = Readonly<{ ref: string; digest: string; secret: Secret }>;

export function sealBody(
  { vault, newId }: Readonly<{ vault: Pick<Vault, 'fingerprint'>; newId: () => string }>,
  body: HeldBody,
): SealedBody {
  const plaintext = JSON.stringify({ ...body, commands: body.commands.map(packed) });
  const ref = newId();
  const secret = { ref, class: 'change_request', plaintext } as const;
  return { ref, digest: vault.fingerprint(plaintext), secret };
}

type PackedRestore = Readonly<{
  type: 'RestoreSnapshot';
  position: number;
  only: RestoreCommand['only'];
  /** Absent in drafts of earlier releases. */
  except?: RestoreCommand['except'];
}>;
type Packed = Exclude<SingleCommand, RestoreCommand> | PackedRestore;
type PackedBody = Omit<HeldBody, 'commands'> & Readonly<{ commands: readonly Packed[] }>;

function packed(command: SingleCommand): Packed {
  if (command.type !== 'RestoreSnapshot') return command;
  const { type, target, only, except } = command;
  return { type, position: target.position, only, except };
}

/**
 * `precondition` and `causation` are set if one of the calls is a restore. The mutation that
 * applies the calls needs them.
 */
export type ReadBody = HeldBody &
  Readonly<{
    ref: string;
    precondition?: ReadyRestore['precondition'] | undefined;
    causation?: ReadyRestore['causation'] | undefined;
  }>;

/** `reports` is needed for a restore. */
export type BodySources = Omit<Parameters<typeof readyRestore>[0], 'db'> &
  Readonly<{
    db: Queryable;
    reports: Database;
    vault: Pick<Vault, 'reveal' | 'fingerprint'>;
  }>;

/** Refuses if the item was erased, cannot be decrypted, or is not the stored draft. */
export async function readBody(
  { db, reports, vault, state, past, refresh }: BodySources,
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
  const { calls, secrets, commands } = body;
  const [first] = commands;
  // A change request with a restore contains nothing else.
  if (first?.type === 'RestoreSnapshot' && 'position' in first) {
    const { position, only, except = [] } = first;
    const sources = { db: reports, state, past, refresh };
    const ready = await readyRestore(sources, { version: { position }, only, except });
    if (isRefusal(ready)) return ready;
    const { command, precondition, causation } = ready;
    return { calls, secrets, commands: [command], ref, precondition, causation };
  }
  return { calls, secrets, commands: commands.filter(isWhole), ref };
}

const isWhole = (command: Packed): command is Exclude<SingleCommand, RestoreCommand> =>
  command.type !== 'RestoreSnapshot';

/** Checks only completeness: the digest proves that the content is what was written. */
const isHeld = (value: unknown): value is PackedBody =>
  typeof value === 'object' &&
  value !== null &&
  ['calls', 'commands', 'secrets'].every((name) => Array.isArray(Reflect.get(value, name)));
