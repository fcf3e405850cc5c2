// Builds restores of random logs. Reads later changes of keys, passwords and identities from the
// log, as the control plane reads them from the database.

import type { ConfigState } from '../../../projections/config/state.ts';
import type { Difference } from '../../../projections/diff.ts';
import type { Missing, RestoreCommand } from '../../../src/deciders/restore.ts';
import { allEvents, append, testMetadata } from './test-log.ts';
import type { TestLog } from './test-log.ts';
import { eventsOf } from './commands.ts';

export function restoreTo(
  log: TestLog,
  target: ConfigState,
  erased: ReadonlySet<string> = new Set(),
): RestoreCommand {
  const since = allEvents(log).filter(({ position }) => position > target.position);
  const revokedKeys = new Set<number>();
  const revokedTokens = new Set<number>();
  const passwordsSet = new Map<number, string>();
  const identitiesLinked = new Map<string, number>();
  const identitiesUnlinked = new Set<number>();
  for (const { type, data } of since) {
    if (type === 'ApiKeyRevoked') revokedKeys.add(data.id);
    if (type === 'ApiKeyEnabled') revokedKeys.delete(data.id);
    if (type === 'AdminTokenRevoked') revokedTokens.add(data.id);
    if (type === 'PrincipalPasswordSet') passwordsSet.set(data.id, data.password_ref);
    if (type === 'PrincipalIdentityLinked')
      identitiesLinked.set(data.identity.fingerprint, data.id);
    if (type === 'PrincipalIdentityUnlinked') identitiesUnlinked.add(data.id);
  }
  const facts = {
    erased,
    revokedKeys,
    revokedTokens,
    passwordsSet,
    identitiesLinked,
    identitiesUnlinked,
  };
  return { type: 'RestoreSnapshot', target, only: null, except: [], facts };
}

export const restored = (log: TestLog, command: RestoreCommand): TestLog =>
  append(log, eventsOf(log.state, command), testMetadata(command.type));

/** The differences that missing fields do not explain. */
export const unexplained = (
  differences: readonly Difference[],
  missing: readonly Missing[],
): Difference[] =>
  differences.flatMap((difference) => {
    const lost = missing
      .filter(({ entity }) => entity === `${difference.kind}-${difference.id}`)
      .map(({ field }) => field);
    // A key without its verifier cannot be restored.
    if (lost.includes('verifier')) return [];
    const isLost = (field: string): boolean =>
      lost.some((one) => field === one || field.startsWith(`${one}.`));
    const fields = difference.fields.filter(({ field }) => !isLost(field));
    return fields.length === 0 && lost.length > 0 ? [] : [{ ...difference, fields }];
  });
