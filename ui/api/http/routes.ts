// Types of the requests and responses of all admin routes, derived from the route definitions of the server. A changed field fails to
// compile here.

import type { z } from 'zod';

import type { Method, TypedRoute } from '../../../src/admin/http/route.ts';
import type { TypedAdminRoute } from '../../../src/admin/routes.ts';

export type PathOf<M extends Method> = Extract<TypedAdminRoute, { method: M }>['path'];

type RouteAt<M extends Method, Path> = Extract<TypedAdminRoute, { method: M; path: Path }>;

type SchemasAt<M extends Method, Path> =
  RouteAt<M, Path> extends TypedRoute<
    unknown,
    unknown,
    z.ZodType,
    infer Query,
    infer Body,
    infer Response
  >
    ? { query: Query; body: Body; response: Response }
    : never;

type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** Request bodies are sent unchanged. */
type Unchanged<Value> = Value extends readonly (infer Part)[]
  ? readonly Unchanged<Part>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
    : Value;

export type BodyOf<M extends Method, Path> = Unchanged<Sent<SchemasAt<M, Path>['body']>>;

/** Numbers are written as text. */
export type QueryOf<M extends Method, Path> = {
  readonly [Name in keyof Sent<SchemasAt<M, Path>['query']>]?: string | number | undefined;
};

/** Before JSON. */
export type AnswerOf<M extends Method, Path> = Sent<SchemasAt<M, Path>['response']>;

/** Records of lists contain their version for If-Match. */
export type Listed<Row> = Row & Readonly<{ version: number }>;

export type RowOf<Path> =
  AnswerOf<'GET', Path> extends readonly (infer Row)[] ? Listed<Row> : never;

/** The names in braces. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string | number>> & ParamsOf<Rest>
  : unknown;
