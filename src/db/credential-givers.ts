// Reads who gave principals their credentials. For passwords and admin tokens, these are the actors
// of the events that set them. For identities, these are the actors of the events that wrote the
// name or address by which they were linked. If a change request did it, its id counts, because the
// principal that applied it did not see its content.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { changeRequestId, principalId } from '../lib/ids.ts';
import { integer, readRows, text } from './rows.ts';

/**
 * `actorId` is null for the command line. It is also null for a scheduled change request, which has
 * its `requestId`.
 */
const given = z.object({
  position: integer,
  principalId,
  ref: text,
  actorId: principalId.nullable(),
  requestId: changeRequestId.nullable(),
  /** Epoch milliseconds. */
  at: integer,
});
const passwordSet = given.extend({ kind: z.literal('password') });
const identityGiven = given.extend({ kind: z.literal('identity') });
const tokenGiven = given.extend({ kind: z.literal('token'), until: integer });

export const passwordsSet = (db: Queryable) =>
  readRows(db, passwordSet)`
    select given.position, 'password' as kind, (given.payload ->> 'id')::bigint as "principalId",
      given.payload ->> 'password_ref' as ref,
      (given.metadata -> 'actor' ->> 'principal_id')::bigint as "actorId",
      (applied.payload ->> 'id')::bigint as "requestId",
      (extract(epoch from given.recorded_at) * 1000)::bigint as at
    from es.events given
    left join es.events applied
      on applied.tx_id = given.tx_id and applied.type = 'ChangeRequestApplied'
    where given.type = 'PrincipalPasswordSet'
    order by given.position`;

/**
 * In log order. Each has one row per event that created, renamed or addressed the principal before,
 * or a single row if there is none.
 */
export const identitiesGiven = (db: Queryable) =>
  readRows(db, identityGiven)`
    select linked.position, 'identity' as kind, (linked.payload ->> 'id')::bigint as "principalId",
      linked.payload -> 'identity' ->> 'ref' as ref,
      (named.metadata -> 'actor' ->> 'principal_id')::bigint as "actorId",
      (applied.payload ->> 'id')::bigint as "requestId",
      (extract(epoch from linked.recorded_at) * 1000)::bigint as at
    from es.events linked
    left join es.events named
      on named.stream = linked.stream and named.position < linked.position
        and named.type in ('PrincipalCreated', 'PrincipalRenamed', 'PrincipalEmailSet')
    left join es.events applied
      on applied.tx_id = named.tx_id and applied.type = 'ChangeRequestApplied'
    where linked.type = 'PrincipalIdentityLinked'
    order by linked.position, named.position`;

/** In log order. `until` is when a token expires or was revoked. */
export const tokensGiven = (db: Queryable) =>
  readRows(db, tokenGiven)`
    select created.position, 'token' as kind,
      (created.payload ->> 'principal_id')::bigint as "principalId",
      created.payload ->> 'verifier_ref' as ref,
      (created.metadata -> 'actor' ->> 'principal_id')::bigint as "actorId",
      null::bigint as "requestId",
      (extract(epoch from created.recorded_at) * 1000)::bigint as at,
      (extract(epoch from least(
        (created.payload ->> 'expires_at')::timestamptz,
        revoked.recorded_at)) * 1000)::bigint as until
    from es.events created
    left join es.events revoked
      on revoked.stream = created.stream and revoked.type = 'AdminTokenRevoked'
    where created.type = 'AdminTokenCreated'
    order by created.position`;
