// The calls of a change request as they lie in the vault: as they were given, and as the commands and secrets that their routes made of
// them then. So what is approved is what is applied: nothing is dialled or hashed in between. Of a restore it holds the moment alone, which
// stands for a whole state; what the vault and the log say of it is asked whenever the calls are read.

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
  const plaintext = JSON.stringify({ ...body, commands: body.commands.map(packed) });
  const ref = newId();
  const secret = { ref, class: 'change_request', plaintext } as const;
  return { ref, digest: vault.fingerprint(plaintext), secret };
}

type PackedRestore = Readonly<{
  type: 'RestoreSnapshot';
  position: number;
  only: RestoreCommand['only'];
  /** Absent from what releases drafted that knew of none. */
  except?: RestoreCommand['except'];
}>;
type Packed = Exclude<SingleCommand, RestoreCommand> | PackedRestore;
type PackedBody = Omit<HeldBody, 'commands'> & Readonly<{ commands: readonly Packed[] }>;

function packed(command: SingleCommand): Packed {
  if (command.type !== 'RestoreSnapshot') return command;
  const { type, target, only, except } = command;
  return { type, position: target.position, only, except };
}

/** The last two belong to the mutation that applies the calls; given where one of them is a restore. */
export type ReadBody = HeldBody &
  Readonly<{
    ref: string;
    precondition?: ReadyRestore['precondition'] | undefined;
    causation?: ReadyRestore['causation'] | undefined;
  }>;

/** `reports` is for what is asked of a restore. */
export type BodySources = Omit<Parameters<typeof readyRestore>[0], 'db'> &
  Readonly<{
    db: Queryable;
    reports: Database;
    vault: Pick<Vault, 'reveal' | 'fingerprint'>;
  }>;

/** Refuses when it is erased, cannot be opened, or is not what was drafted. */
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
  // One is drafted alone.
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

/** That it is whole; what is in it is believed, because its digest is that of what was written. */
const isHeld = (value: unknown): value is PackedBody =>
  typeof value === 'object' &&
  value !== null &&
  ['calls', 'commands', 'secrets'].every((name) => Array.isArray(Reflect.get(value, name)));
