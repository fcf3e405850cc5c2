// Builds the record of a change request, without any secret.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { failureCause } from '../../events/change-request.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { readChangeRequest } from '../../projections/tables/change-requests.ts';
import type { ChangeRequestRow } from '../../projections/tables/change-requests.ts';
import { principalNames } from '../../src/control/access/principal-names.ts';
import type { Vault } from '../../src/db/vault.ts';
import { requestAgeMaxMs } from '../../src/deciders/changes/change-request.ts';
import { toRfc3339 } from '../../src/lib/clock.ts';
import { timestamp } from '../../src/lib/fields.ts';
import { changeRequestId, principalId } from '../../src/lib/ids.ts';
import type { ChangeRequestId, PrincipalId } from '../../src/lib/ids.ts';
import { changeKind, changeRequestState } from '../../src/lib/vocabulary.ts';

/** Null if the principal was deleted. */
const named = { id: principalId, name: z.string().nullable() };

export const changeRequestFields = {
  id: changeRequestId,
  state: changeRequestState,
  /** For a change without approval, its reason. Null if it was erased. */
  title: z.string().nullable(),
  /** Null for the command line. */
  author: z.object(named).nullable(),
  kinds: z.array(changeKind).readonly(),
  event_count: z.int(),
  /**
   * Identifies the draft that an approval covers. Null without a draft. Keyed, so that it reveals
   * nothing about the calls.
   */
  digest: z.string().nullable(),
  calls: z.array(z.object({ method: z.string(), path: z.string() })).readonly(),
  approvals: z.array(z.object({ by: z.object(named), at: timestamp })).readonly(),
  /** When it is applied automatically. */
  apply_at: timestamp.nullable(),
  /** The reason for the last failure of an automatic attempt. */
  failure: z
    .object({ cause: failureCause, message: z.string().nullable(), at: timestamp })
    .nullable(),
  created_at: timestamp,
  /** When the draft was last written, and until when it can be applied. Null without a draft. */
  drafted_at: timestamp,
  expires_at: timestamp.nullable(),
  ended_at: timestamp.nullable(),
  /** Null while it is open, and if no principal ended it: it was scheduled, or it expired. */
  ended_by: z.object(named).nullable(),
};
export const changeRequestRecord = z.object(changeRequestFields);
type ChangeRequestRecord = z.input<typeof changeRequestRecord>;

type Reading = Readonly<{ db: Queryable; vault: Vault; state: ConfigState }>;

export async function recordsOf(
  reading: Reading,
  rows: readonly ChangeRequestRow[],
): Promise<ChangeRequestRecord[]> {
  const { db, vault } = reading;
  const refs = rows.flatMap((row) => [row.title_ref, row.failure?.messageRef ?? []].flat());
  const texts = await vault.reveal(db, refs);
  const person = await peopleOf(reading, rows);
  return rows.map((row) => {
    const { failure } = row;
    const { id, state, kinds, event_count, digest, calls } = row;
    return {
      id,
      state,
      title: texts.get(row.title_ref) ?? null,
      author: person(row.author_id),
      kinds,
      event_count,
      digest,
      calls,
      approvals: row.approvals.map(({ by, at }) => ({
        by: person(by) ?? { id: by, name: null },
        at,
      })),
      apply_at: row.apply_at?.toISOString() ?? null,
      failure:
        failure === null
          ? null
          : {
              cause: failure.cause,
              message: texts.get(failure.messageRef) ?? null,
              at: failure.at,
            },
      created_at: row.created_at.toISOString(),
      drafted_at: row.drafted_at.toISOString(),
      expires_at: expiryOf(row),
      ended_at: row.ended_at?.toISOString() ?? null,
      ended_by: person(row.ended_by),
    };
  });
}

export async function recordOf(
  reading: Reading,
  id: ChangeRequestId,
): Promise<ChangeRequestRecord> {
  const row = await readChangeRequest(reading.db, id);
  const [record] = row === null ? [] : await recordsOf(reading, [row]);
  if (record === undefined) throw new Error(`change request ${id} has no record`);
  return record;
}

const expiryOf = ({ digest, drafted_at }: ChangeRequestRow): string | null =>
  digest === null ? null : toRfc3339(drafted_at.getTime() + requestAgeMaxMs);

type Person = Readonly<{ id: PrincipalId; name: string | null }>;

async function peopleOf(
  { db, vault, state }: Reading,
  rows: readonly ChangeRequestRow[],
): Promise<(id: PrincipalId | null) => Person | null> {
  const ids = rows.flatMap((row) => [
    row.author_id,
    row.ended_by,
    ...row.approvals.map(({ by }) => by),
  ]);
  const principals = [...new Set(ids)].flatMap((id) => state.principal.byId.get(id ?? 0) ?? []);
  const names = await principalNames({ db, vault }, principals);
  return (id) => (id === null ? null : { id, name: names.get(id) ?? null });
}
