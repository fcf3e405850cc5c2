// Tests what needs no Helm of the chart: its version, and that its schema accepts its values.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { z } from 'zod';

const root = path.join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const chart = 'deploy/helm/gw';
const versioned = z.object({ version: z.string() });
const described = versioned.extend({ appVersion: z.string() });

it('gives the chart the version of the program', () => {
  const { version } = versioned.parse(JSON.parse(read('package.json')));
  const { version: ofChart, appVersion } = described.parse(parse(read(`${chart}/Chart.yaml`)));
  assert.deepEqual([ofChart, appVersion], [version, version]);
});

it('accepts the default values of the chart, and no unknown ones', () => {
  const validate = new Ajv2020({ strict: false }).compile(
    JSON.parse(read(`${chart}/values.schema.json`)),
  );
  const values = z.record(z.string(), z.json()).parse(parse(read(`${chart}/values.yaml`)));
  assert.ok(validate(values), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...values, replicas: 3 }));
});
