// Builds the routes of remote servers: MCP servers and A2A agents (specification, "Other records").
// Responses state only whether a credential is set.

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import { creatorOf, remoteName } from '../../../events/catalogue.ts';
import { nouns } from '../../../events/nouns.ts';
import type { RemoteNoun } from '../../../events/nouns.ts';
import type { Remotes } from '../../../projections/config/remote.ts';
import type { Slices } from '../../../projections/config/state.ts';
import type { Page } from '../../../projections/tables/page.ts';
import { remoteCreation, remoteDeletion, remoteUpdate } from '../../control/providers/remotes.ts';
import type { RemoteTools } from '../../control/providers/remotes.ts';
import {
  credentialField,
  descriptionField,
  remoteNameField,
  remoteUrlField,
} from '../../lib/fields.ts';
import { refuse } from '../../lib/refusal.ts';
import { idIn } from '../http/fields.ts';
import { idOf, mutate, written } from '../http/mutation.ts';
import { none, route } from '../http/route.ts';
import type { Route, TypedRoute } from '../http/route.ts';
import { byName } from '../lists/page.ts';
import { readRoutes } from '../lists/records.ts';
import type { Id, IdIn, None, ReadRoutes } from '../lists/records.ts';
import { endpointFields } from '../providers/provider-input.ts';

export type ToolNeeds = RemoteTools & Readonly<{ db: Queryable }>;

const { auth_header, auth_scheme } = endpointFields;

export const creationFields = {
  name: remoteNameField,
  url: remoteUrlField,
  description: descriptionField.default(null),
  auth_header,
  /** Null and an empty string send the credential without a scheme. */
  auth_scheme,
  enabled: z.boolean().default(true),
  upstream_api_key: credentialField.optional(),
};

export const changeFields = {
  name: remoteNameField.optional(),
  url: remoteUrlField.optional(),
  description: descriptionField.optional(),
  auth_header,
  auth_scheme,
  enabled: z.boolean().optional(),
  /** Null or an empty string removes it. */
  upstream_api_key: credentialField.nullable().optional(),
  /** Allows the stored credential to be sent to a different origin. */
  keep_credential: z.boolean().default(false),
};

export const recordFields = {
  name: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  auth_header: z.string(),
  /** Null sends the credential without a scheme. */
  auth_scheme: z.string().nullable(),
  enabled: z.boolean(),
  has_upstream_api_key: z.boolean(),
  /** Alias of has_upstream_api_key for other clients. */
  credential_set: z.boolean(),
};

type Row = Readonly<{ id: number; name: string; has_upstream_api_key: boolean }>;

type RemoteKind<
  Path extends string,
  OwnId extends Id,
  Record extends z.ZodObject,
  Creation extends z.ZodObject,
  Change extends z.ZodObject,
> = Readonly<{
  noun: RemoteNoun;
  path: Path;
  id: OwnId;
  record: Record;
  creation: Creation;
  change: Change;
  rows: (db: Queryable, page: Page<string>) => Promise<readonly Row[]>;
  /** The example body of a change. */
  changed: object;
}>;

type RemoteRoutes<
  Path extends string,
  OwnId extends Id,
  Record extends z.ZodObject,
  Creation extends z.ZodObject,
  Change extends z.ZodObject,
> = readonly [
  ...ReadRoutes<Path, OwnId, Record, ToolNeeds>,
  TypedRoute<'POST', Path, None, None, Creation, Record, ToolNeeds>,
  TypedRoute<'PATCH', `${Path}/{id}`, IdIn<OwnId>, None, Change, None, ToolNeeds>,
  TypedRoute<'DELETE', `${Path}/{id}`, IdIn<OwnId>, None, None, None, ToolNeeds>,
];

export function remoteRoutes<
  const Path extends string,
  OwnId extends Id,
  Record extends z.ZodObject,
  Creation extends z.ZodObject<typeof creationFields>,
  Change extends z.ZodObject<typeof changeFields>,
>(
  kind: RemoteKind<Path, OwnId, Record, Creation, Change>,
): RemoteRoutes<Path, OwnId, Record, Creation, Change>;
export function remoteRoutes(kind: AnyKind): readonly Route<ToolNeeds>[] {
  return [...reads(kind), ...mutations(kind)];
}

type AnyKind = RemoteKind<
  string,
  Id,
  z.ZodObject,
  z.ZodObject<typeof creationFields>,
  z.ZodObject<typeof changeFields>
>;

function reads({ noun, rows, ...kind }: AnyKind): readonly Route<ToolNeeds>[] {
  const { words } = nouns[noun].remote;
  const name = remoteName(noun);
  return readRoutes({
    ...kind,
    noun,
    called: [name, `${name}s`],
    summaries: {
      list: `List ${words}s, without their credentials`,
      one: `Get one ${words}, without its credential`,
    },
    order: byName,
    rows,
    rowIn: (state, id) => rowIn(state, noun, id),
    toBody: (found) => found.map(toRecord),
    absent: (id) => refuse('absent', `${words} ${id} does not exist`),
  });
}

function mutations(kind: AnyKind): readonly Route<ToolNeeds>[] {
  const { noun, path } = kind;
  const { example, remote } = nouns[noun];
  const { one, url } = remote;
  const name = remoteName(noun);
  const config = { permission: 'config:write', query: none } as const;
  const own = { ...config, path: `${path}/{id}`, params: idIn(kind.id), response: none } as const;
  return [
    route({
      ...config,
      method: 'POST',
      path,
      operation: `create${name}`,
      summary: `Create ${one}; its address is not contacted`,
      example: { name: example, url },
      status: 201,
      refusals: ['conflict'],
      params: none,
      body: kind.creation,
      response: kind.record,
      handle: async ({ body }, call, needs: ToolNeeds) =>
        mutate(call, await remoteCreation(needs, noun, body), (outcome) =>
          toRecord(rowIn(outcome.state, noun, idOf(outcome, creatorOf(noun).type))),
        ),
    }),
    route({
      ...own,
      method: 'PATCH',
      operation: `update${name}`,
      summary: `Update ${one}; an absent credential is kept, an empty one removes it`,
      example: kind.changed,
      status: 204,
      refusals: ['absent', 'conflict'],
      body: kind.change,
      handle: async ({ params: { id }, body }, call, needs: ToolNeeds) =>
        mutate(call, await remoteUpdate(needs, noun, { ...body, id }), () => ({})),
    }),
    route({
      ...own,
      method: 'DELETE',
      operation: `delete${name}`,
      summary: `Delete ${one}`,
      status: 204,
      refusals: ['absent'],
      body: none,
      handle: ({ params: { id } }, call) => mutate(call, remoteDeletion(noun, id), () => ({})),
    }),
  ];
}

function rowIn(state: Slices, noun: RemoteNoun, id: number): Row {
  const { details, credential } = written<Remotes[RemoteNoun]>(state[noun], id);
  return { id, ...details, has_upstream_api_key: credential !== null };
}

const toRecord = (row: Row) => ({ ...row, credential_set: row.has_upstream_api_key });
