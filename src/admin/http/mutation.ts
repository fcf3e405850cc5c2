// What every mutation on the admin listener does alike: says who acts and why, and answers with the snapshot version that holds
// the change.

import { isUtf8 } from 'node:buffer';

import type { Queryable } from '@databases/pg';

import type { ConfigState } from '../../../projections/config/state.ts';
import { executeFor } from '../../control/commands/execute.ts';
import type { Mutation, MutationContext, Outcome } from '../../control/commands/execute.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Caller } from './authorise.ts';
import { verbsOfCaller } from './permissions.ts';
import type { Answer, Call } from './route.ts';

export const reasonLengthMax = 1_000;

/** What a mutation may ask for beside what all of them do. `reason` stands in for an absent x-gw-reason. */
export type CallMutation = Mutation &
  Readonly<{ reason?: string | undefined }> &
  Pick<MutationContext, 'precondition' | 'causation'>;

/**
 * Runs the mutation as the caller's, unless it was refused while it was prepared, and answers what `render` makes of the state behind
 * it: once for a call, because an Idempotency-Key keeps this answer. `render` runs in the mutation's transaction, before the commit:
 * what it reads from the database, it reads by `tx`, and a fault in it undoes the mutation.
 */
export async function mutate<Body>(
  call: Call,
  prepared: CallMutation | Refusal,
  render: (outcome: Outcome, tx: Queryable) => Promise<Body> | Body,
): Promise<Answer<Body> | Refusal> {
  if (isRefusal(prepared)) return prepared;
  const { reason: given, precondition, causation, ...mutation } = prepared;
  const reason = reasonOf(call, given);
  if (isRefusal(reason)) return reason;
  const breakGlass = textIn(call.headers, breakGlassHeader);
  if (isRefusal(breakGlass)) return breakGlass;
  const context: MutationContext = {
    ...contextOf(call, reason),
    isForced: call.isForced,
    breakGlass,
    ...(causation === undefined ? {} : { causation }),
    precondition: async (state, tx, unwritten) =>
      (await refuseAtTurn(call, state, tx)) ??
      (breakGlass === null ? null : mayBreakGlass(call, state)) ??
      (await precondition?.(state, tx, unwritten)) ??
      null,
    exclusive: call.once?.key ?? null,
  };
  return executeFor(call.config.execute, mutation, context, async (outcome, tx) => {
    const body = await render(outcome, tx);
    const answer = call.entity.showing(body, {
      ...versionHeader(outcome.version),
      ...call.entity.etag(outcome.state, body),
      ...reviewHeader(outcome),
    });
    await call.once?.keep(tx, answer);
    return answer;
  });
}

/** What was true when the request came in must still be true when its turn for the log has come. */
async function refuseAtTurn(
  call: Call,
  state: ConfigState,
  tx: Queryable,
): Promise<Refusal | null> {
  const refusal = (await call.ended(state, tx)) ?? revoked(call, state) ?? call.entity.unmet(state);
  return refusal ?? call.once?.taken(tx) ?? null;
}

export const versionHeader = (version: number): Record<string, string> => ({
  'x-gw-snapshot-version': String(version),
});

function contextOf(
  { caller, method, path, requestId }: Call,
  reason: string | null,
): MutationContext {
  return { actor: actorOf(caller), action: method, target: path, requestId, reason };
}

function actorOf(caller: Caller): MutationContext['actor'] {
  if (!('principalId' in caller)) return { kind: 'system', principal_id: null };
  const { kind, principalId } = caller;
  const token = kind === 'admin_token' ? { token_id: caller.tokenId } : {};
  return { kind, principal_id: principalId, ...token };
}

/** The right may have been taken away since the request came in. */
function revoked({ caller, permission }: Call, state: ConfigState): Refusal | null {
  if (!('principalId' in caller)) return null;
  const verbs = verbsOfCaller(state, caller);
  if (verbs !== null) {
    if (permission === 'session' || permission === 'api_key') return null;
    if ([...verbs].some((verb) => verb === permission)) return null;
  }
  return refuse('forbidden', 'the right to do this was revoked meanwhile');
}

/** Who may approve changes may make one without an approval. */
const mayBreakGlass = ({ caller }: Call, state: ConfigState): Refusal | null =>
  verbsOfCaller(state, caller)?.has('config:write') === true
    ? null
    : refuse('forbidden', `${breakGlassHeader} needs the permission config:write`, {
        param: breakGlassHeader,
      });

/** Where the review is due that a change without approval demands. */
function reviewHeader({ events }: Outcome): Record<string, string> {
  const made = events.find(({ type }) => type === 'ChangeMadeUnapproved');
  return made === undefined
    ? {}
    : { 'x-gw-review-due': made.stream.replace('change_request-', '') };
}

const reasonHeader = 'x-gw-reason';
const breakGlassHeader = 'x-gw-break-glass';

/** `given` is what the body says; the header has the last word. Null when neither gives one. */
export function reasonOf(
  { headers }: Pick<Call, 'headers'>,
  given?: string,
): string | Refusal | null {
  return textIn(headers, reasonHeader) ?? given ?? null;
}

/** Null when none is given. Node reads a header as Latin-1; what people write in it is UTF-8. */
function textIn(headers: Call['headers'], name: string): string | Refusal | null {
  const header = headers[name];
  if (typeof header !== 'string' || header === '') return null;
  const bytes = Buffer.from(header, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString('utf8') : header;
  if (text.length <= reasonLengthMax) return text;
  const message = `${name} has ${text.length} characters, at most ${reasonLengthMax} may be`;
  return refuse('invalid', message, { param: name });
}

/** The id of the entity that an event of the mutation is about. A mutation without that event has a fault. */
export function idOf({ events }: Outcome, type: string): number {
  const found = events.find((event) => event.type === type);
  if (found === undefined || !('id' in found.data)) throw new Error(`the mutation made no ${type}`);
  return found.data.id;
}

/** The entity with this id in the state behind a mutation that has just written it. */
export function written<Entity>(
  slice: Readonly<{ byId: ReadonlyMap<number, Entity> }>,
  id: number,
): Entity {
  const entity = slice.byId.get(id);
  if (entity === undefined) throw new Error(`${id} is not there right after it was written`);
  return entity;
}
