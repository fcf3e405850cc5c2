// The types of what each admin route takes and answers, from the route values of the server themselves: a field that changes there
// fails to compile here.

import type { z } from 'zod';

import type { Method, TypedRoute } from '../../../src/admin/http/route.ts';
import type { TypedAdminRoute } from '../../../src/admin/routes.ts';

/** The paths that a method has. */
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

/** What is sent is not changed on its way. */
type Unchanged<Value> = Value extends readonly (infer Part)[]
  ? readonly Unchanged<Part>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Unchanged<Value[Name]> }
    : Value;

export type BodyOf<M extends Method, Path> = Unchanged<Sent<SchemasAt<M, Path>['body']>>;

/** In an address all is text; numbers are written as such. */
export type QueryOf<M extends Method, Path> = {
  readonly [Name in keyof Sent<SchemasAt<M, Path>['query']>]?: string | number | undefined;
};

/** As it comes out of the server, before JSON. */
export type AnswerOf<M extends Method, Path> = Sent<SchemasAt<M, Path>['response']>;

/** A record of a list of entities says its version, which If-Match takes. */
export type Listed<Row> = Row & Readonly<{ version: number }>;

export type RowOf<Path> =
  AnswerOf<'GET', Path> extends readonly (infer Row)[] ? Listed<Row> : never;

/** The names between braces. */
export type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string | number>> & ParamsOf<Rest>
  : unknown;
