// Builds the five routes of a noun (list, read, create, change, delete) from one description.

import type { z } from 'zod';

import type { RecordedEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Mutation } from '../../control/commands/execute.ts';
import type { Refusal, RefusalCode } from '../../lib/refusal.ts';
import { deletedRecord, idIn } from '../http/fields.ts';
import { idOf, mutate } from '../http/mutation.ts';
import type { CallMutation } from '../http/mutation.ts';
import { none, route } from '../http/route.ts';
import type { Call, Route, TypedRoute } from '../http/route.ts';
import { readRoutes } from './records.ts';
import type { Id, IdIn, None, ReadRoutes, Reading, Records } from './records.ts';

type Prepared = CallMutation | Refusal;
type Preparing = Prepared | Promise<Prepared>;

const config = { permission: 'config:write', query: none } as const;

type Deletion<Path extends string, OwnId extends Id> = Readonly<{
  path: Path;
  operation: string;
  summary: string;
  /** Defaults to `config:write`. */
  permission?: 'key:revoke';
  refusals?: readonly RefusalCode[];
  id: OwnId;
  command: (id: z.output<OwnId>) => Mutation['command'];
}>;

/** Deletes the record with the id in the path, and returns the id. */
export function deleteRoute<const Path extends string, OwnId extends Id>(
  deletion: Deletion<Path, OwnId>,
): TypedRoute<'DELETE', Path, IdIn<OwnId>, None, None, typeof deletedRecord, unknown>;
export function deleteRoute({
  id: ownId,
  command,
  ...described
}: Deletion<string, Id>): Route<unknown> {
  return route({
    ...config,
    method: 'DELETE',
    refusals: ['absent'],
    ...described,
    params: idIn(ownId),
    body: none,
    response: deletedRecord,
    handle: ({ params: { id } }, call) => mutate(call, { command: command(id) }, () => ({ id })),
  });
}

/** Describes the routes apart from reading. Preparing a mutation may refuse it. */
type Changes<
  OwnId extends Id,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Needs,
> = Readonly<{
  summaries: Readonly<{ create: string; change: string; delete: string }>;
  create: Readonly<{
    body: Creation;
    /** The event with the new id. */
    event: RecordedEvent['type'];
    mutation: (body: z.output<Creation>, call: Call, needs: Needs) => Preparing;
  }>;
  change: Readonly<{
    body: Change;
    mutation: (
      changed: Readonly<{ id: z.output<OwnId>; given: z.output<Change> }>,
      call: Call,
      needs: Needs,
    ) => Preparing;
  }>;
  delete: Readonly<{
    refusals?: readonly RefusalCode[];
    command: (id: z.output<OwnId>) => Mutation['command'];
  }>;
}>;

export function recordRoutes<
  const Path extends string,
  OwnId extends Id,
  Body extends z.ZodObject,
  Key extends string | number,
  Row extends object,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Needs extends Reading,
>(
  records: Records<Path, OwnId, Body, Key, Row, Needs> & Changes<OwnId, Creation, Change, Needs>,
): readonly [
  ...ReadRoutes<Path, OwnId, Body, Needs>,
  TypedRoute<'POST', Path, None, None, Creation, Body, Needs>,
  TypedRoute<'PATCH', `${Path}/{id}`, IdIn<OwnId>, None, Change, Body, Needs>,
  TypedRoute<'DELETE', `${Path}/{id}`, IdIn<OwnId>, None, None, typeof deletedRecord, Needs>,
];
export function recordRoutes<
  Key extends string | number,
  Row extends object,
  Needs extends Reading,
>(
  records: Records<string, Id, z.ZodObject, Key, Row, Needs> &
    Changes<Id, z.ZodType, z.ZodType, Needs>,
): readonly Route<Needs>[] {
  const { path, called, summaries, create, change, record, rowIn, toBody } = records;
  /** Reads through the mutation's transaction, because the change is not committed yet. */
  const recordIn = async (state: ConfigState, id: number, needs: Needs) => {
    const row = rowIn(state, id);
    const [body] = row === null ? [] : await toBody([row], needs, null);
    if (body === undefined) throw new Error(`${id} is missing after it was written`);
    return body;
  };
  return [
    ...readRoutes(records),
    route({
      ...config,
      method: 'POST',
      path,
      operation: `create${called[0]}`,
      summary: summaries.create,
      refusals: ['conflict'],
      params: none,
      body: create.body,
      response: record,
      handle: async ({ body }, call, needs: Needs) =>
        mutate(call, await create.mutation(body, call, needs), (outcome, db) =>
          recordIn(outcome.state, idOf(outcome, create.event), { ...needs, db }),
        ),
    }),
    route({
      ...config,
      method: 'PATCH',
      path: `${path}/{id}`,
      operation: `update${called[0]}`,
      summary: summaries.change,
      refusals: ['absent', 'conflict'],
      params: idIn(records.id),
      body: change.body,
      response: record,
      handle: async ({ params: { id }, body: given }, call, needs: Needs) =>
        mutate(call, await change.mutation({ id, given }, call, needs), ({ state }, db) =>
          recordIn(state, id, { ...needs, db }),
        ),
    }),
    deleteRoute({
      path: `${path}/{id}`,
      operation: `delete${called[0]}`,
      summary: summaries.delete,
      id: records.id,
      ...records.delete,
    }),
  ];
}
