// Tests that the OpenAPI document and the routes match (Versioning rule 1).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { z } from 'zod';

import { exampleOf } from '../../../src/admin/openapi/example.ts';
import { bodyExampleOf, bodyExamples, fieldExamples } from '../../../src/admin/openapi/examples.ts';
import { parameterDescriptions } from '../../../src/admin/openapi/openapi-parameters.ts';
import { resourceOf, tagOf } from '../../../src/admin/openapi/openapi-tags.ts';
import { openApi } from '../../../src/admin/openapi/openapi.ts';
import { takesNothing } from '../../../src/admin/http/route.ts';
import type { Route } from '../../../src/admin/http/route.ts';
import { adminRoutes, pathAliases } from '../../../src/admin/routes.ts';
import { errorBody } from '../../../src/admin/http/status.ts';
import { testAdmin } from '../../harness/admin/admin.ts';

const media = z.record(
  z.string(),
  z.object({ schema: z.unknown(), example: z.unknown().optional() }),
);
const response = z.object({
  description: z.string(),
  headers: z.unknown().optional(),
  content: media.optional(),
});
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()).length(1),
  security: z.array(z.unknown()),
  'x-gw-permission': z.string(),
  parameters: z.array(
    z.union([
      z.object({
        name: z.string(),
        in: z.string(),
        required: z.boolean(),
        description: z.string().optional(),
        schema: z.record(z.string(), z.unknown()),
      }),
      z.object({ $ref: z.string() }),
    ]),
  ),
  requestBody: z.object({ content: media }).optional(),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), response])),
});
const documentSchema = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ version: z.literal('0.1.0') }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ responses: z.record(z.string(), response) }),
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
    const inPath = entry.parameters.flatMap((parameter) =>
      'name' in parameter && parameter.in === 'path' ? [parameter.name] : [],
    );
    assert.deepEqual(inPath, named, path);
    assert.equal(entry.requestBody === undefined, takesNothing(route), path);
    assert.ok(entry.responses[route.status ?? 200], path);
    assert.equal(entry['x-gw-permission'], route.permission);
  }
});

it('a route that requires a caller documents 401, and one with input documents 400', () => {
  assert.deepEqual(statuses('getHealthz'), ['200', '400', '431', '500', '503']);
  assert.deepEqual(statuses('getSnapshot'), ['200', '304', '400', '401', '431', '500', '503']);
  assert.deepEqual(statuses('getFallbackModel'), [
    '200',
    '400',
    '401',
    '403',
    '404',
    '431',
    '500',
    '503',
  ]);
  assert.deepEqual(statuses('createProvider'), [
    '200',
    '400',
    '401',
    '403',
    '409',
    '413',
    '415',
    '431',
    '500',
    '503',
  ]);
});

describe('an example', () => {
  it('exists for every request body, and is valid', () => {
    for (const route of originals) {
      if (takesNothing(route)) continue;
      const example = bodyExampleOf(route);
      assert.notEqual(example, undefined, `${route.operation} lacks a line in examples.ts`);
      const read = route.body.safeParse(example);
      assert.ok(read.success, `${route.operation}: ${read.error?.message}`);
    }
  });

  it('belongs to an operation that takes a body', () => {
    const taking = originals.filter((route) => !takesNothing(route));
    const known = new Set(taking.map(({ operation }) => operation));
    assert.deepEqual(
      Object.keys(bodyExamples).filter((operation) => !known.has(operation)),
      [],
    );
  });

  it('exists for every response, and is valid', () => {
    for (const route of adminRoutes) {
      if (route.status === 204 || route.status === 302) continue;
      const answer = responseOf(route.operation, route.status ?? 200);
      const [{ example } = { example: undefined }] = Object.values(answer?.content ?? {});
      assert.notEqual(example, undefined, `${route.operation}: ${missingIn(route)} has no example`);
      const read = route.response.safeParse(example);
      assert.ok(read.success, `${route.operation}: ${read.error?.message}`);
    }
  });

  it('exists for every error', () => {
    for (const { entry } of entries) {
      for (const status of Object.keys(entry.responses)) {
        if (Number(status) < 400) continue;
        const { content } = responseOf(entry.operationId, status) ?? {};
        errorBody.parse(content?.['application/json']?.example);
      }
    }
  });
});

it('every path belongs to a named group', () => {
  const ungrouped = adminRoutes.filter(
    (route) => route.path.startsWith('/admin') && tagOf(route) === 'Process',
  );
  assert.deepEqual(
    ungrouped.map(({ path }) => path),
    [],
  );
});

it('a mutation accepts its headers, and an edit also If-Match', () => {
  assert.deepEqual(conditions('createRole'), ['IdempotencyKey', 'Reason', 'BreakGlass', 'Force']);
  assert.deepEqual(conditions('updateRole'), [
    'IdempotencyKey',
    'IfMatch',
    'Reason',
    'BreakGlass',
    'Force',
  ]);
  assert.deepEqual(conditions('listRoles'), []);
  assert.deepEqual(conditions('login'), []);
});

describe('the document', () => {
  const written: Json = JSON.parse(JSON.stringify(openApi(adminRoutes)));

  it('is OpenAPI 3.1 by its own schema', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(written);
    assert.ok(valid, JSON.stringify(errors)?.slice(0, 2000));
    assert.equal(validator.version, '3.1');
  });

  it('holds only schemas that JSON Schema 2020-12 allows', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
    ajv.addVocabulary(['example', 'components']);
    const { components } = written;
    for (const schema of schemasIn(written)) {
      assert.doesNotThrow(() => ajv.compile({ ...schema, components }), JSON.stringify(schema));
    }
  });

  it('holds only patterns that clients in JavaScript, Go and Python can compile', () => {
    const patterns = new Set(valuesOf(written, 'pattern'));
    assert.ok(patterns.size > 10);
    for (const pattern of patterns) {
      assert.ok(typeof pattern === 'string');
      assert.doesNotThrow(() => new RegExp(pattern, 'u'), pattern);
      assert.doesNotThrow(() => RE2JS.compile(pattern), pattern);
      // Python's re module supports neither of them.
      assert.doesNotMatch(pattern, /\\[pP]\{|\(\?<[=!]/, pattern);
    }
  });

  it('refers only to components that it holds', () => {
    for (const target of valuesOf(written, '$ref')) {
      const steps = String(target).replace('#/', '').split('/');
      const found = steps.reduce<unknown>((at, step) => Reflect.get(Object(at), step), written);
      assert.notEqual(found, undefined, String(target));
    }
  });

  it('describes every parameter, and gives every text one a format, a pattern, choices or a length', () => {
    for (const { entry } of entries) {
      for (const parameter of entry.parameters) {
        if ('$ref' in parameter) continue;
        const { description, name, schema } = parameter;
        assert.ok(description !== undefined, `${entry.operationId} ${name} has no description`);
        assert.ok(description.endsWith('.'), `${entry.operationId} ${name}: ${description}`);
        const isBounded = ['format', 'pattern', 'enum', 'const', 'maxLength'].some(
          (word) => word in schema,
        );
        assert.ok(schema['type'] !== 'string' || isBounded, `${entry.operationId} ${name}`);
      }
    }
  });

  it('describes no parameter that does not exist', () => {
    const names = new Set(
      entries.flatMap(({ entry: { operationId, parameters } }) =>
        parameters.flatMap((one) =>
          'name' in one ? [one.name, `${operationId}.${one.name}`] : [],
        ),
      ),
    );
    const unused = Object.keys(parameterDescriptions).filter((name) => !names.has(name));
    assert.deepEqual(unused, []);
  });
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

it('no field is marked as read-only', () => {
  assert.ok(!JSON.stringify(openApi(adminRoutes)).includes('"readOnly"'));
});

/** The shared parameters of an operation. */
const conditions = (id: string): readonly string[] =>
  (entryOf(id)?.parameters ?? []).flatMap((one) =>
    '$ref' in one ? [one.$ref.split('/').at(-1) ?? ''] : [],
  );

const originals = adminRoutes.filter(({ operation }) => !operation.endsWith('ByAlias'));

type Json = Readonly<Record<string, unknown>>;

/** The response of an operation. Follows references. */
function responseOf(id: string, status: string | number) {
  const found = entryOf(id)?.responses[status];
  if (found === undefined || !('$ref' in found)) return found;
  return document.components.responses[found.$ref.split('/').at(-1) ?? ''];
}

/** Every value of this property, at any depth. */
function valuesOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === name && typeof member !== 'object' ? [member] : valuesOf(member, name),
  );
}

/** Schemas of parameters, headers and contents, and the components. */
function schemasIn(value: unknown): readonly Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === 'schema') return [member];
    return key === 'schemas' ? Object.values(member) : schemasIn(member);
  });
}

const entryOf = (id: string) => entries.find(({ entry }) => entry.operationId === id)?.entry;

const missingIn = (route: Route): string => {
  const resource = resourceOf(route);
  const schema = z.toJSONSchema(route.response, { io: 'input', unrepresentable: 'any' });
  const example = exampleOf({ ...schema }, { resource, field: resource, fields: fieldExamples });
  return 'missing' in example ? example.missing : '';
};

/** Documented statuses of an operation. */
const statuses = (id: string): readonly string[] => Object.keys(entryOf(id)?.responses ?? {});

/** Routes of a family, without its name. */
const rest = (family: string): readonly string[] =>
  adminRoutes
    .filter((route) => route.path.startsWith(family))
    .map((route) => `${route.method} ${route.path.slice(family.length)}`);
