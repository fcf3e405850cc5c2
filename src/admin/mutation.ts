// What every mutation on the admin listener does alike: says who acts and why, and answers with the snapshot version that holds
// the change.

import type { RecordedEvent } from '../../events/catalogue.ts';
import type { Mutation, MutationContext, Outcome } from '../control/execute.ts';
import { isRefusal } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Answer, Call } from './route.ts';

const reasonLengthMax = 1_000;

/** Runs the mutation as the caller's, and renders the state behind it. */
export async function mutate<Body>(
  call: Call,
  mutation: Mutation,
  render: (outcome: Outcome) => Promise<Body> | Body,
): Promise<Answer<Body> | Refusal> {
  const outcome = await call.control.execute(mutation, contextOf(call));
  if (isRefusal(outcome)) return outcome;
  return { body: await render(outcome), headers: versionHeader(outcome.version) };
}

const versionHeader = (version: number): Record<string, string> => ({
  'x-gw-snapshot-version': String(version),
});

function contextOf({ caller, method, path, requestId, headers }: Call): MutationContext {
  const actor =
    'principalId' in caller
      ? { kind: caller.kind, principal_id: caller.principalId }
      : ({ kind: 'system', principal_id: null } as const);
  const reason = headers['x-gw-reason'];
  return {
    actor,
    action: method,
    target: path,
    requestId,
    reason: typeof reason === 'string' ? reason.slice(0, reasonLengthMax) : null,
  };
}

/** The id of the entity that an event of the mutation is about. A mutation without that event has a fault. */
export function idOf({ events }: Outcome, type: RecordedEvent['type']): number {
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
