// The OpenAPI 3.1 document, made from the route values: a route cannot lack an entry, nor an entry a route (Versioning rule 1).

import { z } from 'zod';

import type { RefusalCode } from '../lib/refusal.ts';
import { sessionCookie } from './authorise.ts';
import { takesNothing } from './route.ts';
import type { Permission, Route } from './route.ts';
import { errorBody, statusOf } from './status.ts';

const apiVersion = '0.1.0';

type Json = Readonly<Record<string, unknown>>;

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
      description: 'The control plane of gw: configuration, accounting and the proxy protocol.',
    },
    paths,
    components: {
      schemas: { Error: jsonSchema(errorBody) },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
        proxy_token: { type: 'http', scheme: 'bearer' },
        api_key: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function operation(route: Route): Json {
  return {
    operationId: route.operation,
    summary: route.summary,
    security: security(route.permission),
    'x-gw-permission': route.permission,
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(takesNothing(route) ? {} : { requestBody: { required: true, content: json(route.body) } }),
    responses: {
      200: { description: 'Done.', content: json(route.response) },
      ...(route.conditional === true ? { 304: { description: 'Still as it was.' } } : {}),
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, errorResponse])),
    },
  };
}

function security(permission: Permission): readonly Json[] {
  if (permission === 'open') return [];
  if (permission === 'proxy_token' || permission === 'api_key') return [{ [permission]: [] }];
  return [{ session: [] }];
}

/** Each property of the schema is a parameter. */
function parameters(schema: z.ZodType, place: 'path' | 'query'): readonly Json[] {
  const { properties, required } = parametersSchema.parse(jsonSchema(schema));
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }));
}

const parametersSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
});

const json = (schema: z.ZodType): Json => ({ 'application/json': { schema: jsonSchema(schema) } });

/** As it is sent: what a transformation makes of it is our own affair. */
function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  return rest;
}

const errorResponse = {
  description: 'Refused.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** 500 and 503 can meet every route; the rest follows from what the route needs, takes and refuses. */
function errorStatuses(route: Route): readonly number[] {
  const codes: RefusalCode[] = ['unavailable', ...route.refusals];
  if (route.permission !== 'open') codes.push('unauthenticated');
  if (!['open', 'session', 'proxy_token', 'api_key'].includes(route.permission)) {
    codes.push('forbidden');
  }
  if (route.method !== 'GET') codes.push('invalid', 'forbidden', 'too_large', 'unsupported_media');
  if ([...parameters(route.params, 'path'), ...parameters(route.query, 'query')].length > 0) {
    codes.push('invalid');
  }
  const statuses = new Set([500, ...codes.map((code) => statusOf[code].status)]);
  return [...statuses].toSorted((a, b) => a - b);
}
