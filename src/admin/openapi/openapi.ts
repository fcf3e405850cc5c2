// Builds the OpenAPI 3.1 document from the route values (Versioning rule 1).

import { z } from 'zod';

import { answerKeptHours } from '../../control/commands/idempotency.ts';
import { readsPast } from '../http/as-of.ts';
import { sessionCookie } from '../http/authorise.ts';
import { entityPathOf } from '../http/entity.ts';
import { exampleOf } from './example.ts';
import { bodyExampleOf, fieldExamples } from './examples.ts';
import { errorComponents, errorResponses } from './openapi-errors.ts';
import { describeParameter } from './openapi-parameters.ts';
import { jsonSchema } from './openapi-schema.ts';
import { resourceOf, tagOf, tags } from './openapi-tags.ts';
import { isMutation } from '../http/once.ts';
import { takesNothing } from '../http/route.ts';
import type { Permission } from '../http/authorise.ts';
import type { Route } from '../http/route.ts';
import { errorBody } from '../http/status.ts';

const apiVersion = '0.1.0';

type Json = Readonly<Record<string, unknown>>;

const description = `The control plane of gw: configuration, accounting and the proxy protocol.

Every response has \`x-request-id\`, which repeats a well-formed one of the request. Every error has the schema Error. A known
path that does not support the method returns 405 with \`Allow\`. Headers over 16 KiB return 431.

Every mutation returns \`x-gw-snapshot-version\`, the version of the configuration that contains the change. Lists return
\`x-total-count\`, and \`Link\` with \`rel="next"\` if there are more rows (RFC 8288).

Every read of configuration accepts \`as_of\` and returns the state at that time. Data outside of the log (leases, spending of
budgets) is then null.`;

export function openApi(routes: readonly Route[]): Json {
  const paths = Object.fromEntries(
    [...Map.groupBy(routes, (route) => route.path)].map(([path, own]) => [
      path,
      Object.fromEntries(own.map((route) => [route.method.toLowerCase(), operation(route)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'gw admin API',
      version: apiVersion,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The admin listener that serves this document' }],
    tags: tags(routes),
    paths,
    components: {
      schemas: { Error: jsonSchema(errorBody) },
      responses: errorComponents(routes),
      parameters: requestHeaders,
      headers: responseHeaders,
      securitySchemes,
    },
  };
}

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'A session from POST /login; most routes also require a permission',
  },
  admin_token: {
    type: 'http',
    scheme: 'bearer',
    description: 'An admin token (`gwt-…`) from POST /admin/tokens, as an alternative to a session',
  },
  proxy_token: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token that proxies share with the control plane (--proxy-token)',
  },
  api_key: { type: 'http', scheme: 'bearer', description: 'The API key of a principal' },
} as const;

const header = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const requestHeaders = {
  IdempotencyKey: header(
    'Idempotency-Key',
    `For ${answerKeptHours} hours, repeating a request with the same key and principal returns the first response without ` +
      'changing anything. A different request with the key returns 409. The key of a refused request can be reused.',
    { type: 'string', minLength: 1, maxLength: 255, examples: ['create-nightly-1'] },
  ),
  IfMatch: header(
    'If-Match',
    'The version of the entity, in quotes: its ETag, or the `version` of its ' +
      'record. Returns 412 if the entity has been changed since.',
    {
      type: 'string',
      pattern: '^(?:\\*|(?:W/)?"[^"]*"(?:\\s*,\\s*(?:W/)?"[^"]*")*)$',
      examples: ['"3"'],
    },
  ),
  Reason: header(
    'x-gw-reason',
    'The reason for the change; stored in the vault and shown in the history',
    {
      type: 'string',
      maxLength: 1_000,
      examples: ['CHG-1042'],
    },
  ),
  Force: {
    name: 'force',
    in: 'query',
    required: false,
    description:
      'If true, allow a change after which no principal with config:write can sign in. Returns 409 otherwise.',
    schema: { type: 'boolean', default: false },
  },
  BreakGlass: header(
    'x-gw-break-glass',
    'The reason to skip the approval that the change policy requires; requires config:write and a later review',
    { type: 'string', maxLength: 1_000, examples: ['the vendor cut us off'] },
  ),
} as const;

const responseHeaders = {
  RequestId: {
    description: 'The id of this request, in all of its log lines',
    schema: { type: 'string' },
  },
  SnapshotVersion: {
    description: 'The version of the configuration that includes the change',
    schema: { type: 'integer' },
  },
  ReviewDue: {
    description: 'If x-gw-break-glass skipped an approval: the id of the change request to review',
    schema: { type: 'integer' },
  },
  ETag: { description: 'The version of the entity, in quotes', schema: { type: 'string' } },
  LogPosition: {
    description: 'With as_of: the log position of the response',
    schema: { type: 'integer' },
  },
  TotalCount: { description: 'The total number of rows', schema: { type: 'integer' } },
  Link: { description: 'The next page, if there is one', schema: { type: 'string' } },
} as const;

function operation(route: Route): Json {
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [tagOf(route)],
    security: security(route.permission),
    'x-gw-permission': route.permission,
    parameters: [...parameters(route, 'path'), ...parameters(route, 'query'), ...conditions(route)],
    ...(takesNothing(route) ? {} : { requestBody: requestBody(route) }),
    responses: {
      [route.status ?? 200]: success(route),
      ...(route.conditional === true ? { 304: { description: 'Not modified.' } } : {}),
      ...errorResponses(route),
    },
  };
}

function security(permission: Permission): readonly Json[] {
  if (permission === 'open') return [];
  if (permission === 'proxy_token' || permission === 'api_key') return [{ [permission]: [] }];
  return [{ session: [] }, { admin_token: [] }];
}

/** Each property of the schema becomes a parameter. */
function parameters(route: Route, place: 'path' | 'query'): readonly Json[] {
  const schema = place === 'path' ? route.params : route.query;
  const { properties, required } = parametersSchema.parse(jsonSchema(schema));
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    description: description ?? describeParameter(route, name),
    schema: property,
  }));
}

const parametersSchema = z.object({
  properties: z
    .record(z.string(), z.looseObject({ description: z.string().optional() }))
    .default({}),
  required: z.array(z.string()).default([]),
});

function conditions(route: Route): readonly Json[] {
  if (!isMutation(route)) return [];
  const names = [
    'IdempotencyKey',
    ...(addressesEntity(route) ? ['IfMatch'] : []),
    'Reason',
    ...(route.permission === 'api_key' ? [] : ['BreakGlass', 'Force']),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const addressesEntity = ({ path }: Route): boolean => entityPathOf(path) !== null;

function requestBody(route: Route): Json {
  const example = bodyExampleOf(route);
  return {
    required: true,
    content: {
      'application/json': {
        schema: jsonSchema(route.body),
        ...(example === undefined ? {} : { example }),
      },
    },
  };
}

function success(route: Route): Json {
  const headers = Object.fromEntries(
    Object.entries({
      'x-request-id': 'RequestId',
      ...(isMutation(route) ? { 'x-gw-snapshot-version': 'SnapshotVersion' } : {}),
      ...(isMutation(route) && route.permission !== 'api_key'
        ? { 'x-gw-review-due': 'ReviewDue' }
        : {}),
      ...(isMutation(route) && addressesEntity(route) ? { etag: 'ETag' } : {}),
      ...(readsPast(route) ? { 'x-gw-log-position': 'LogPosition' } : {}),
      ...(isPaged(route) ? { 'x-total-count': 'TotalCount', link: 'Link' } : {}),
    }).map(([name, header]) => [name, { $ref: `#/components/headers/${header}` }]),
  );
  if (route.status === 204) return { description: 'Done.', headers };
  if (route.status === 302) return { description: 'Redirect to `Location`.', headers };
  return { description: 'Done.', headers, content: { [mediaType(route)]: answer(route) } };
}

const mediaType = ({ mediaType }: Route): string => mediaType ?? 'application/json';

function answer(route: Route): Json {
  const schema = jsonSchema(route.response);
  const example = exampleOf(schema, {
    resource: resourceOf(route),
    field: resourceOf(route),
    fields: fieldExamples,
  });
  return 'missing' in example ? { schema } : { schema, example: example.value };
}

const isPaged = ({ method, query, response }: Route): boolean =>
  method === 'GET' &&
  response instanceof z.ZodArray &&
  query instanceof z.ZodObject &&
  'after' in query.shape;
