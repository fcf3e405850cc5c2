// The OpenAPI document and the routes: each in the other (Versioning rule 1).

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { z } from 'zod';

import { openApi } from '../../src/admin/openapi.ts';
import { takesNothing } from '../../src/admin/route.ts';
import { adminRoutes, pathAliases } from '../../src/admin/routes.ts';
import { testAdmin } from '../harness/admin.ts';

const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.unknown()),
  'x-gw-permission': z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), required: z.boolean() })),
  requestBody: z.object({ content: z.unknown() }).optional(),
  responses: z.record(
    z.string(),
    z.object({ description: z.string(), content: z.unknown().optional() }),
  ),
});
const documentSchema = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ version: z.literal('0.1.0') }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

const document = documentSchema.parse(openApi(adminRoutes));
const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, entry]) => ({ path, method, entry })),
);

it('every route has an entry and every entry a route', () => {
  const described = entries.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
  const served = adminRoutes.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(described.toSorted(), served.toSorted());
});

it('every entry has schemas, the parameters of its path and an operationId of its own', () => {
  assert.equal(new Set(entries.map(({ entry }) => entry.operationId)).size, entries.length);
  for (const { path, method, entry } of entries) {
    const route = adminRoutes.find(
      (one) => one.path === path && one.method.toLowerCase() === method,
    );
    assert.ok(route !== undefined);
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = entry.parameters.filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      inPath.map(({ name }) => name),
      named,
      path,
    );
    assert.equal(entry.requestBody === undefined, takesNothing(route), path);
    assert.ok(entry.responses['200'], path);
    assert.equal(entry['x-gw-permission'], route.permission);
  }
});

it('a route that needs someone says 401, and one with input says 400', () => {
  assert.deepEqual(statuses('getHealthz'), ['200', '500', '503']);
  assert.deepEqual(statuses('getSnapshot'), ['200', '304', '400', '401', '500', '503']);
  assert.deepEqual(statuses('getFallbackModel'), ['200', '401', '403', '500', '503']);
  assert.deepEqual(statuses('createProvider'), [
    '200',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '500',
    '503',
  ]);
});

it('every alias family has every route of its family', () => {
  for (const [path, alias] of Object.entries(pathAliases)) {
    assert.ok(rest(path).length > 0);
    assert.deepEqual(rest(alias), rest(path));
  }
});

it('the server serves the document and its paths, to anyone', async (t) => {
  const { ask, admin } = await testAdmin(t);
  const { status, body } = await ask({ path: '/openapi.json' });
  assert.equal(status, 200);
  assert.deepEqual(body, JSON.parse(JSON.stringify(openApi(adminRoutes))));
  for (const { method, path } of adminRoutes) {
    assert.ok(admin.server.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') }), path);
  }
});

/** The statuses that the entry of an operation names. */
const statuses = (id: string): readonly string[] =>
  Object.keys(entries.find(({ entry }) => entry.operationId === id)?.entry.responses ?? {});

/** The routes of a family, without its name. */
const rest = (family: string): readonly string[] =>
  adminRoutes
    .filter((route) => route.path.startsWith(family))
    .map((route) => `${route.method} ${route.path.slice(family.length)}`);
