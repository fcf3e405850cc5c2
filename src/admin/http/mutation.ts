// Runs mutations of the admin listener: adds actor and reason, and returns the resulting snapshot
// version.

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

/** `reason` is used if x-gw-reason is absent. */
export type CallMutation = Mutation &
  Readonly<{ reason?: string | undefined }> &
  Pick<MutationContext, 'precondition' | 'causation'>;

/**
 * Executes the mutation as the caller and renders the response, unless its preparation was refused.
 * Call it at most once per request, because the response is stored under the Idempotency-Key.
 * `render` runs in the mutation's transaction before the commit: it must read through `tx`, and an
 * error in it rolls the mutation back.
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

/** Repeats, under the log lock, the checks that were made when the request arrived. */
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

export function actorOf(caller: Caller): MutationContext['actor'] {
  if (!('principalId' in caller)) return { kind: 'system', principal_id: null };
  const { kind, principalId } = caller;
  const token = kind === 'admin_token' ? { token_id: caller.tokenId } : {};
  return { kind, principal_id: principalId, ...token };
}

/** The permission may have been revoked since the request arrived. */
function revoked({ caller, permission }: Call, state: ConfigState): Refusal | null {
  if (!('principalId' in caller)) return null;
  const verbs = verbsOfCaller(state, caller);
  if (verbs !== null) {
    if (permission === 'session' || permission === 'api_key') return null;
    if ([...verbs].some((verb) => verb === permission)) return null;
  }
  return refuse('forbidden', 'the permission for this change was revoked before it was made');
}

/** Only principals that may approve changes may skip the approval. */
const mayBreakGlass = ({ caller }: Call, state: ConfigState): Refusal | null =>
  verbsOfCaller(state, caller)?.has('config:write') === true
    ? null
    : refuse('forbidden', `${breakGlassHeader}: requires the permission config:write`, {
        param: breakGlassHeader,
      });

/** Names the change request to review after a change without approval. */
function reviewHeader({ events }: Outcome): Record<string, string> {
  const made = events.find(({ type }) => type === 'ChangeMadeUnapproved');
  return made === undefined
    ? {}
    : { 'x-gw-review-due': made.stream.replace('change_request-', '') };
}

const reasonHeader = 'x-gw-reason';
const breakGlassHeader = 'x-gw-break-glass';

/** The header overrides `given`, the reason in the body. */
export function reasonOf(
  { headers }: Pick<Call, 'headers'>,
  given?: string,
): string | Refusal | null {
  return textIn(headers, reasonHeader) ?? given ?? null;
}

/** Node decodes headers as Latin-1, but clients send UTF-8. */
function textIn(headers: Call['headers'], name: string): string | Refusal | null {
  const header = headers[name];
  if (typeof header !== 'string' || header === '') return null;
  const bytes = Buffer.from(header, 'latin1');
  const text = isUtf8(bytes) ? bytes.toString('utf8') : header;
  if (text.length <= reasonLengthMax) return text;
  const message = `${name}: has ${text.length} characters; the maximum is ${reasonLengthMax}`;
  return refuse('invalid', message, { param: name });
}

/** A mutation without an event of this type is a bug. */
export function idOf({ events }: Outcome, type: string): number {
  const found = events.find((event) => event.type === type);
  if (found === undefined || !('id' in found.data))
    throw new Error(`the mutation has no ${type} event`);
  return found.data.id;
}

/** The entity in the state after its mutation. */
export function written<Entity>(
  slice: Readonly<{ byId: ReadonlyMap<number, Entity> }>,
  id: number,
): Entity {
  const entity = slice.byId.get(id);
  if (entity === undefined) throw new Error(`entity ${id} is missing after it was written`);
  return entity;
}
