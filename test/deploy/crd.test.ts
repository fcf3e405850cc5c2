// Tests that the custom resource definition matches what the program reads, and that fields which
// the admin API changes match its route.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { parse } from 'yaml';
import { z } from 'zod';

import { deploymentPatch, deploymentPlaces } from '../../src/admin/operations/deployment.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import {
  apiGroup,
  apiVersion,
  deploymentSpec,
  deploymentStatus,
  resourceKind,
  resourcePlural,
} from '../../src/kubernetes/gw-deployment.ts';
import { isJson, memberAt } from '../harness/cluster/cluster-store.ts';

const file = path.join(import.meta.dirname, '../../deploy/operator/crd.yaml');
const manifest: unknown = parse(readFileSync(file, 'utf8'));
const version = memberAt(manifest, 'spec', 'versions');
const schema = memberAt(
  Array.isArray(version) ? version[0] : null,
  'schema',
  'openAPIV3Schema',
  'properties',
);

/** Keywords that only one of the two schemas can contain, such as a description. */
const extraKeywords = new Set(['description', 'format', '$schema', 'propertyNames']);

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isJson(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => !extraKeywords.has(name) && !name.startsWith('x-kubernetes-'))
    .map(([name, member]) => [name, bare(member)]);
  const read: Record<string, unknown> = Object.fromEntries(members);
  // zod writes the bounds of 64-bit integers; the manifest does not.
  if (read['minimum'] === Number.MIN_SAFE_INTEGER) delete read['minimum'];
  if (read['maximum'] === Number.MAX_SAFE_INTEGER) delete read['maximum'];
  // The manifest allows further members with x-kubernetes-preserve-unknown-fields.
  const further = read['additionalProperties'];
  if (isJson(further) && Object.keys(further).length === 0) delete read['additionalProperties'];
  const required = read['required'];
  if (Array.isArray(required)) read['required'] = required.map(String).toSorted();
  return read;
}

/** The type of a value that may also be null. */
const notNull = (of: unknown): unknown => {
  const type = memberAt(of, 'type');
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
};
const toJson = (value: unknown): object => (isJson(value) ? value : {});

const jsonSchema = (of: z.ZodType): unknown => bare(z.toJSONSchema(of, { io: 'input' }));

/** The field of the spec at this path, with its bounds and without its default. */
function boundsAt(place: readonly string[]): unknown {
  const found = memberAt(schema, 'spec', ...place.flatMap((name) => ['properties', name]));
  assert.ok(isJson(found), place.join('.'));
  const { default: _default, ...bounds } = found;
  return bare(bounds);
}

describe('the custom resource', () => {
  it('has the name that the program requests', () => {
    assert.equal(memberAt(manifest, 'metadata', 'name'), `${resourcePlural}.${apiGroup}`);
    assert.equal(memberAt(manifest, 'spec', 'group'), apiGroup);
    assert.equal(memberAt(manifest, 'spec', 'names', 'kind'), resourceKind);
    assert.equal(memberAt(manifest, 'spec', 'names', 'plural'), resourcePlural);
    const name = memberAt(Array.isArray(version) ? version[0] : null, 'name');
    assert.equal(`${apiGroup}/${String(name)}`, apiVersion);
  });

  it('has the schema that the program parses it with', () => {
    assert.deepEqual(bare(memberAt(schema, 'spec')), jsonSchema(deploymentSpec));
    assert.deepEqual(bare(memberAt(schema, 'status')), jsonSchema(deploymentStatus));
  });

  it('is structural: every value has a type, and every member a place', () => {
    const untyped: string[] = [];
    const walk = (value: unknown, at: string): void => {
      if (memberAt(value, 'type') === undefined) untyped.push(at);
      const members = memberAt(value, 'properties');
      for (const [name, member] of Object.entries(isJson(members) ? members : {})) {
        walk(member, `${at}.${name}`);
      }
      const items = memberAt(value, 'items');
      if (items !== undefined) walk(items, `${at}[]`);
    };
    walk(memberAt(schema, 'spec'), 'spec');
    walk(memberAt(schema, 'status'), 'status');
    assert.deepEqual(untyped, []);
  });

  for (const [name, place] of Object.entries(deploymentPlaces)) {
    it(`${place.join('.')} has the bounds of ${name} in PATCH /admin/deployment`, () => {
      const field = Object.entries(deploymentPatch.shape).find(([key]) => key === name)?.[1];
      assert.ok(field !== undefined);
      const read = jsonSchema(field);
      const variants = memberAt(read, 'anyOf');
      const some = Array.isArray(variants) ? variants[0] : { ...toJson(read), type: notNull(read) };
      assert.deepEqual(boundsAt(place), some);
    });
  }

  it('has only serviceType and the shared pod fields as further proxy fields', () => {
    const leaves = (value: unknown, at: readonly string[]): readonly string[] => {
      const members = memberAt(value, 'properties');
      if (!isJson(members)) return [at.join('.')];
      return Object.entries(members).flatMap(([name, member]) => leaves(member, [...at, name]));
    };
    const proxy = leaves(memberAt(schema, 'spec', 'properties', 'proxy'), ['proxy']);
    const patched = Object.values(deploymentPlaces).map((place) => place.join('.'));
    const ofPods = [
      'settings',
      'secretSettings',
      'resources.requests.cpu',
      'resources.requests.memory',
      'resources.limits.cpu',
      'resources.limits.memory',
      'volumes',
      'volumeMounts',
    ];
    const expected = [
      ...patched.filter((place) => place !== 'image'),
      ...['serviceType', ...ofPods].map((name) => `proxy.${name}`),
    ];
    assert.deepEqual(proxy.toSorted(), expected.toSorted());
  });

  const settingOf = {
    upstreamTimeout: settingsTable.upstreamTimeout,
    workers: settingsTable.workers,
    poolMaxIdle: settingsTable.poolMaxIdle,
  };
  for (const [name, setting] of Object.entries(settingOf)) {
    it(`proxy.${name} has the bounds and default of its setting`, () => {
      const field = memberAt(schema, 'spec', 'properties', 'proxy', 'properties', name);
      const [from, to] = [Number(memberAt(field, 'minimum')), Number(memberAt(field, 'maximum'))];
      const takes = (value: number): boolean => setting.schema.safeParse(String(value)).success;
      assert.deepEqual([from - 1, from, to, to + 1].map(takes), [false, true, true, false]);
      assert.equal(memberAt(field, 'default'), setting.fallback);
    });
  }
});
