// A route is a value: who may call it, what it takes, what it answers, and what runs. The server, the permissions, the OpenAPI
// document and the tests are all made from these values, so none of them can know a route that another does not.
//
// A handler names in its third argument what it needs of the program. A list of routes can be described as it is; to run, it must be
// given those needs by `served`.

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

/** What a handler knows of the request besides its input. */
export type Call = Readonly<{
  config: Configuration;
  caller: Caller;
  /** What the caller had to have. */
  permission: Permission;
  method: Method;
  /** The path as it was asked for, without its query. */
  path: string;
  requestId: string;
  /** The peer's address; no header can change it. */
  address: string;
  headers: IncomingHttpHeaders;
  /** The entity that the path addresses, and what the caller expects of it. */
  entity: AddressedEntity;
  /** Given when the request carries an Idempotency-Key. */
  once: Once | null;
  /** A refusal when the caller's session or token has ended since the request came in. */
  ended: (state: ConfigState, tx: Queryable) => Promise<Refusal | null>;
  /** Whether the query says `force=true`: the change is made although it leaves no administrator. */
  isForced: boolean;
  /** Aborted when the client has gone or the server closes. Made when asked for: few wait long enough to care. */
  signal: () => AbortSignal;
}>;

export type Answer<Body> = Readonly<{
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Becomes JSON. */
  body: Body;
}>;

/** An answer that is bytes already, or none at all. */
type PreparedAnswer = Readonly<{
  status?: number;
  /** Several cookies are as many values. */
  headers?: Readonly<Record<string, string | string[]>>;
  bytes: Uint8Array | null;
}>;

/** An answer of any length: what is read of it is what the client takes. A client that goes ends it. */
type StreamedAnswer = Readonly<{
  status?: number;
  headers?: Readonly<Record<string, string>>;
  stream: Readable;
}>;

export type Handled<Body> = Answer<Body> | PreparedAnswer | StreamedAnswer | Refusal;

/** See entity.ts. */
export type AddressedEntity = Readonly<{
  /** A refusal when If-Match names another version than the one in this state. */
  unmet: (state: ConfigState) => Refusal | null;
  /**
   * The version in this state, as a header, of the entity that the path addresses or that `record` was created as; none when there is
   * no such entity.
   */
  etag: (state: ConfigState, record?: unknown) => Readonly<Record<string, string>>;
  /** Answers with this body and its headers; the version is in both where the route answers records of entities. */
  showing: <Body>(body: Body, headers: Readonly<Record<string, string>>) => Answer<Body>;
}>;

/** See once.ts. */
export type Once = Readonly<{
  key: string;
  /** A refusal when the key has an answer already. */
  taken: (tx: Queryable) => Promise<Refusal | null>;
  keep: (tx: Queryable, answer: Answer<unknown>) => Promise<void>;
}>;

type Description = Readonly<{
  method: Method;
  /** With `{name}` for a parameter. */
  path: string;
  /** The operationId; stable, since generated clients are named by it. */
  operation: string;
  permission: Permission;
  summary: string;
  /** The group in the OpenAPI document; by the path when absent. */
  tag?: string;
  /** Of the body; one of openapi/examples.ts when absent. */
  example?: unknown;
  /** Of success; 200 when absent. With 204 no body is sent, nor with 302, which sends a browser on. */
  status?: 201 | 204 | 302;
  /** Changes no configuration, although it is not a GET: no version, no Idempotency-Key. */
  asks?: true;
  /** The refusals of the handler's own; those of the framework are added from the other fields. */
  refusals: readonly RefusalCode[];
  /** Of success; JSON when absent. */
  mediaType?:
    | 'text/html'
    | 'text/css'
    | 'text/javascript'
    | 'text/plain'
    | 'text/event-stream'
    | 'application/x-ndjson';
  /** Answers 304 when If-None-Match still holds. */
  conditional?: true;
  /** The longest body; the server's own bound when absent. */
  bodyBytesMax?: number;
}>;

type Schemas<Params, Query, Body, Response> = Readonly<{
  params: Params;
  query: Query;
  body: Body;
  response: Response;
}>;

type Described = Description & Schemas<z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** `Needs` is what its handler needs of the program. With the default it is a description, which cannot run. */
export type Route<Needs = never> = Described &
  Readonly<{ run: (call: Call, raw: RawInput, needs: Needs) => Promise<Handled<unknown>> }>;

/** A route that has what it needs. */
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

/** A route that still knows its types, for the program that calls it (ui/api). */
export type TypedRoute<Method, Path, Params, Query, Body, Response, Needs = never> = Route<Needs> &
  Schemas<Params, Query, Body, Response> &
  Readonly<{ method: Method; path: Path }>;

/** Takes nothing: anything sent is an unknown field. */
export const none = z.strictObject({});

/** Binds a typed handler to its schemas. What runs holds no type parameter, so that routes of all shapes make one list. */
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
      // A proxy's records are judged one by one: a bad one must not cost the others.
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

/** Gives routes what they need. */
export const served = <Needs>(routes: readonly Route<Needs>[], needs: Needs): ServedRoute[] =>
  routes.map((one) => ({ ...one, run: (call, raw) => one.run(call, raw, needs) }));

export const takesNothing = ({ body }: { body: z.ZodType }): boolean => body === none;
