// Derives the error responses of an operation in the OpenAPI document from its route.

import type { RefusalCode } from '../../lib/refusal.ts';
import { readsPast } from '../http/as-of.ts';
import { entityPathOf } from '../http/entity.ts';
import { isMutation } from '../http/once.ts';
import type { Route } from '../http/route.ts';
import { httpErrors, statusOf } from '../http/status.ts';

type Json = Readonly<Record<string, unknown>>;

const always: Json = {
  431: ref('HeadersTooLong'),
  500: ref('Internal'),
};

/** By status, as references to components of the document. */
export function errorResponses(route: Route): Json {
  const own = [...byStatus(route)].map(([status, codes]) => [status, ref(nameOf(codes))]);
  return { ...Object.fromEntries(own), ...always };
}

/** By name. */
export function errorComponents(routes: readonly Route[]): Json {
  const groups = routes.flatMap((route) => [...byStatus(route).values()]);
  const own = groups.map((codes) => [nameOf(codes), refusalResponse(codes)]);
  return {
    ...Object.fromEntries(own),
    HeadersTooLong: response('The request headers are longer than 16 KiB', {
      type: 'invalid_request_error',
      code: 'too_large',
    }),
    Internal: response(httpErrors.internal.cause, { type: 'api_error', code: 'internal' }),
  };
}

type Codes = readonly RefusalCode[];

const byStatus = (route: Route): ReadonlyMap<number, Codes> =>
  Map.groupBy(codesOf(route), (code) => statusOf[code].status);

/** `ForbiddenOrApprovalRequired`. */
const nameOf = (codes: Codes): string =>
  codes
    .map((code) =>
      code.replaceAll(/(?:^|_)[a-z]/g, (start) => start.replace('_', '').toUpperCase()),
    )
    .join('Or');

function refusalResponse(codes: Codes): Json {
  const [first = 'invalid'] = codes;
  const description = codes.map((code) => statusOf[code].cause).join('; or: ');
  return response(description, { type: statusOf[first].type, code: first });
}

function ref(name: string): Json {
  return { $ref: `#/components/responses/${name}` };
}

function codesOf(route: Route): Codes {
  // Every route refuses unknown input.
  const codes = new Set<RefusalCode>(['invalid', 'unavailable', ...route.refusals]);
  const { method, permission } = route;
  if (permission !== 'open') codes.add('unauthenticated');
  if (!['open', 'session', 'proxy_token', 'api_key'].includes(permission)) codes.add('forbidden');
  if (method !== 'GET') {
    for (const code of ['forbidden', 'too_large', 'unsupported_media'] as const) {
      codes.add(code);
    }
  }
  if (isMutation(route)) {
    codes.add('conflict');
    if (permission !== 'api_key') codes.add('approval_required');
  }
  if (isMutation(route) && entityPathOf(route.path) !== null) codes.add('stale');
  if (readsPast(route)) codes.add('absent');
  return [...codes];
}

const response = (description: string, error: Readonly<{ type: string; code: string }>): Json => ({
  description: `${description}.`,
  headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' } },
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: {
        error: {
          message: description.split(/[;,]/, 1)[0]?.toLowerCase() ?? '',
          ...error,
          param: null,
          request_id: '7d0f6d8e-1f5a-4c34-9d0b-0c2c3f8b1a55',
        },
      },
    },
  },
});
