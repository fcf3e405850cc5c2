// Prepares a restore: the past state, and facts from the vault and the log that no state contains.
// Reads the facts before locking the log, which may take long, and checks them again under the
// lock.

import type { Queryable } from '@databases/pg';

import { parseStream } from '../../../events/catalogue.ts';
import type { RecordedEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { vaultRefs } from '../../../projections/config/vault-refs.ts';
import type { Database } from '../../db/pool.ts';
import { accessEventsSince, erasedRefs, identityEventsSince } from '../../db/restore-facts.ts';
import { planRestore, restoredStreams } from '../../deciders/restore.ts';
import type { RestoreCommand, RestorePlan } from '../../deciders/restore.ts';
import type { RestoreFacts } from '../../deciders/restore/kind.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { MutationContext } from '../commands/execute.ts';
import type { Moment } from './moment.ts';
import { listedMax, shownChange } from './shown-change.ts';
import type { ShownChange } from './shown-change.ts';
import type { PastStates } from './states.ts';
import type { Vault } from '../../db/vault.ts';

type Dependencies = Readonly<{
  db: Database;
  state: () => ConfigState;
  past: PastStates;
  refresh: () => Promise<void>;
}>;

type Asked = Readonly<{ version: Moment }> & Pick<RestoreCommand, 'only' | 'except'>;

/** `precondition` and `causation` are for the mutation that executes the command. */
export type ReadyRestore = Readonly<{
  command: RestoreCommand;
  precondition: NonNullable<MutationContext['precondition']>;
  causation: NonNullable<MutationContext['causation']>;
}>;

/** Refuses a moment outside of the log. */
export async function readyRestore(
  { db, state, past, refresh }: Dependencies,
  { version, only, except }: Asked,
): Promise<ReadyRestore | Refusal> {
  await refresh();
  const target = await past.at(version, 'version');
  if (isRefusal(target)) return target;
  const { position } = state();
  const chosen = { target, only, except };
  const refs = neededRefs(target, restoredStreams(state(), chosen));
  const facts = await readFacts(db, { target, refs });
  return {
    command: { type: 'RestoreSnapshot', ...chosen, facts },
    causation: { position: target.position },
    precondition: async (now, tx, unwritten) => {
      const needed = neededRefs(target, restoredStreams(now, chosen));
      const erased = await erasedRefs(tx, needed);
      const isSame = erased.every((ref) => facts.erased.has(ref));
      const since = [
        ...(await accessEventsSince(tx, position)),
        ...(await identityEventsSince(tx, position)),
      ];
      const isQuiet = since.length === 0 && !unwritten.flat().some(overtakes);
      return isSame && isQuiet ? null : overtaken;
    },
  };
}

/** Selects events that change the facts but are not in the database yet. */
const overtakes = ({ type }: RecordedEvent): boolean => factTypes.has(type);

const factTypes: ReadonlySet<RecordedEvent['type']> = new Set([
  'ApiKeyRevoked',
  'ApiKeyEnabled',
  'AdminTokenRevoked',
  'PrincipalPasswordSet',
  'PrincipalIdentityLinked',
  'PrincipalIdentityUnlinked',
  'VaultItemsErased',
]);

const overtaken = refuse(
  'conflict',
  'keys, tokens, passwords or vault items were modified concurrently; retry the restore',
);

/** The vault refs that the entities of these streams would use again. */
const neededRefs = (target: ConfigState, streams: readonly string[]): string[] => [
  ...new Set(
    streams.flatMap((stream) => {
      const { noun, id } = parseStream(stream);
      const name = noun === 'principal' ? target.principal.byId.get(id)?.name.ref : null;
      return [...vaultRefs(target, stream), ...(name ? [name] : [])];
    }),
  ),
];

async function readFacts(
  db: Queryable,
  { target, refs }: Readonly<{ target: ConfigState; refs: readonly string[] }>,
): Promise<RestoreFacts> {
  const revokedKeys = new Set<number>();
  const revokedTokens = new Set<number>();
  const passwordsSet = new Map<number, string>();
  for (const { type, id, ref } of await accessEventsSince(db, target.position)) {
    if (type === 'ApiKeyRevoked') revokedKeys.add(id);
    else if (type === 'ApiKeyEnabled') revokedKeys.delete(id);
    else if (type === 'AdminTokenRevoked') revokedTokens.add(id);
    else if (ref !== null) passwordsSet.set(id, ref);
  }
  const identitiesLinked = new Map<string, number>();
  const identitiesUnlinked = new Set<number>();
  for (const { id, fingerprint } of await identityEventsSince(db, target.position)) {
    if (fingerprint === null) identitiesUnlinked.add(id);
    else identitiesLinked.set(fingerprint, id);
  }
  const erased = new Set(await erasedRefs(db, refs));
  return { erased, revokedKeys, revokedTokens, passwordsSet, identitiesLinked, identitiesUnlinked };
}

export type RestorePreview = ShownChange & Pick<RestorePlan, 'conflicts' | 'missing'>;

type From = Readonly<{ state: ConfigState; command: RestoreCommand }>;

export async function previewRestore(
  sources: Readonly<{ db: Queryable; vault: Pick<Vault, 'reveal'> }>,
  { state: before, command }: From,
): Promise<Readonly<{ shown: RestorePreview; after: ConfigState }>> {
  const { events, state: after, conflicts, missing } = planRestore(before, command);
  return {
    shown: {
      ...(await shownChange(sources, { before, after, events })),
      conflicts: conflicts.slice(0, listedMax),
      missing: missing.slice(0, listedMax),
    },
    after,
  };
}
