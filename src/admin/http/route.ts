// Defines routes as values: caller, input, output and handler. The server, the permission checks, the
// OpenAPI document and the tests are derived from these values, so they cannot disagree.
//
// A handler declares its dependencies as its third argument. A list of routes can be described without
// them; to run, `served` must provide them.

import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

import type { Queryable } from '@databases/pg';
import { z } from 'zod';

import type { ConfigState } from '../../../projections/config/state.ts';
import type { Configuration } from '../../control/commands/configuration.ts';
import { isRefusal } from '../../lib/refusal.ts';
import type { Refusal, RefusalCode } from '../../lib/refusal.ts';
import type { Caller, Permission } from './authorise.ts';
import { readInput, refuseUnfitText } from './input.ts';
import type { RawInput } from './input.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The data of a request that a handler gets in addition to its input. */
export type Call = Readonly<{
  config: Configuration;
  caller: Caller;
  /** Required by the route. */
  permission: Permission;
  method: Method;
  /** Without the query. */
  path: string;
  requestId: string;
  /** The address of the peer. Headers cannot change it. */
  address: string;
  headers: IncomingHttpHeaders;
  /** Includes the version that the caller expects. */
  entity: AddressedEntity;
  /** Set if the request has an Idempotency-Key. */
  once: Once | null;
  /** Refuses if the caller's session or token has ended since the request arrived. */
  ended: (state: ConfigState, tx: Queryable) => Promise<Refusal | null>;
  /** True if the query has `force=true`: the change is made even if it leaves no administrator. */
  isForced: boolean;
  /**
   * Aborted when the client disconnects or the server closes. Created on demand, because few
   * handlers wait.
   */
  signal: () => AbortSignal;
}>;

export type Answer<Body> = Readonly<{
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body: Body;
}>;

/** A response that is already bytes, or has no body. */
type PreparedAnswer = Readonly<{
  status?: number;
  /** Several cookies need a list. */
  headers?: Readonly<Record<string, string | string[]>>;
  bytes: Uint8Array | null;
}>;

/**
 * A response of any length, read as fast as the client accepts it. Destroyed when the client
 * disconnects.
 */
type StreamedAnswer = Readonly<{
  status?: number;
  headers?: Readonly<Record<string, string>>;
  stream: Readable;
}>;

export type Handled<Body> = Answer<Body> | PreparedAnswer | StreamedAnswer | Refusal;

export type AddressedEntity = Readonly<{
  /** Refuses if If-Match names another version than that of this state. */
  unmet: (state: ConfigState) => Refusal | null;
  /**
   * The ETag header with the version of the addressed entity, or of the one created as `record`.
   * Empty if there is none.
   */
  etag: (state: ConfigState, record?: unknown) => Readonly<Record<string, string>>;
  /** Adds the version of the ETag to the body if the route returns entity records. */
  showing: <Body>(body: Body, headers: Readonly<Record<string, string>>) => Answer<Body>;
}>;

export type Once = Readonly<{
  key: string;
  /** Refuses if the key already has a response. */
  taken: (tx: Queryable) => Promise<Refusal | null>;
  keep: (tx: Queryable, answer: Answer<unknown>) => Promise<void>;
}>;

type Description = Readonly<{
  method: Method;
  /** Parameters are written as `{name}`. */
  path: string;
  /** The operationId. Stable, because generated clients use it as a name. */
  operation: string;
  permission: Permission;
  summary: string;
  /** The group in the OpenAPI document. Derived from the path if absent. */
  tag?: string;
  /** Taken from openapi/examples.ts if absent. */
  example?: unknown;
  /** Descriptions of parameters that openapi/openapi-parameters.ts does not have, by name. */
  parameters?: Readonly<Record<string, string>>;
  /** The status of success, 200 if absent. 204 and 302 have no body. */
  status?: 201 | 204 | 302;
  /** Changes no configuration although the method is not GET: no version, no Idempotency-Key. */
  asks?: true;
  /** The handler's own refusals. Those of the framework derive from the other fields. */
  refusals: readonly RefusalCode[];
  /** JSON if absent. */
  mediaType?:
    | 'text/html'
    | 'text/css'
    | 'text/javascript'
    | 'text/plain'
    | 'text/event-stream'
    | 'text/csv'
    | 'application/x-ndjson';
  /** Returns 304 if If-None-Match matches. */
  conditional?: true;
  /** The server's limit if absent. */
  bodyBytesMax?: number;
}>;

type Schemas<Params, Query, Body, Response> = Readonly<{
  params: Params;
  query: Query;
  body: Body;
  response: Response;
}>;

type Described = Description & Schemas<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/**
 * `Needs` are the handler's dependencies. With the default, the route can be described but not run.
 */
export type Route<Needs = never> = Described &
  Readonly<{ run: (call: Call, raw: RawInput, needs: Needs) => Promise<Handled<unknown>> }>;

export type ServedRoute = Described &
  Readonly<{ run: (call: Call, raw: RawInput) => Promise<Handled<unknown>> }>;

type Handler<Params, Query, Body, Response, Needs> = (
  input: Readonly<{ params: Params; query: Query; body: Body }>,
  call: Call,
  needs: Needs,
) => Promise<Handled<Response>> | Handled<Response>;

type Definition<
  Method,
  Path,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Needs,
> = Description &
  Schemas<Params, Query, Body, Response> &
  Readonly<{
    method: Method;
    path: Path;
    handle: Handler<z.output<Params>, z.output<Query>, z.output<Body>, z.input<Response>, Needs>;
  }>;

/** Keeps its types, for clients in the same program (ui/api). */
export type TypedRoute<Method, Path, Params, Query, Body, Response, Needs = never> = Route<Needs> &
  Schemas<Params, Query, Body, Response> &
  Readonly<{ method: Method; path: Path }>;

/** Accepts no input: every field is unknown. */
export const none = z.strictObject({});

/**
 * Connects a typed handler to its schemas. The result has no type parameters, so that all routes
 * fit into one list.
 */
export function route<
  const M extends Method,
  const Path extends string,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Needs,
>(
  definition: Definition<M, Path, Params, Query, Body, Response, Needs>,
): TypedRoute<M, Path, Params, Query, Body, Response, Needs> {
  const { handle, ...described } = definition;
  return {
    ...described,
    run: async (call, raw, needs) => {
      // A proxy's records are validated one by one, so that an invalid one does not reject the
      // others.
      const unfit = definition.permission === 'proxy_token' ? null : refuseUnfitText(raw);
      if (unfit !== null) return unfit;
      const params = readInput(definition.params, raw.params, { echo: true });
      if (isRefusal(params)) return params;
      const query = readInput(definition.query, raw.query, { echo: true });
      if (isRefusal(query)) return query;
      const body = readInput(definition.body, raw.body ?? (takesNothing(definition) ? {} : null));
      if (isRefusal(body)) return body;
      return handle({ params: params.value, query: query.value, body: body.value }, call, needs);
    },
  };
}

export const served = <Needs>(routes: readonly Route<Needs>[], needs: Needs): ServedRoute[] =>
  routes.map((one) => ({ ...one, run: (call, raw) => one.run(call, raw, needs) }));

export const takesNothing = ({ body }: { body: z.ZodType }): boolean => body === none;
