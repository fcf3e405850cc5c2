// Tests that the program reads a copied record back as the same record, and that every change of
// the API can be copied as a call, without secrets.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';

import { bodyExampleOf } from '../../../../src/admin/openapi/examples.ts';
import { isMutation } from '../../../../src/admin/http/once.ts';
import { adminRoutes } from '../../../../src/admin/routes.ts';
import { readDocument } from '../../../../src/snapshot/file/document.ts';
import { readSource } from '../../../../src/snapshot/file/source.ts';
import { curlCommand } from '../../../../ui/lib/saves/copy-as.ts';
import { recordLabels, textsOfRecord, yamlOfRecord } from '../../../../ui/lib/saves/copy-record.ts';

const environment = { UPSTREAM_API_KEY: 'sk-1' };
const reading = (text: string) =>
  readDocument(readSource(text, environment), {
    environment,
    masterKey: null,
    mayLackModels: true,
  });

const target = (model: string) => ({ id: 1, provider_model_id: 7, model_pool_id: null, model });
const gone = { id: 2, provider_model_id: null, model_pool_id: null, model: 'gone' };
const backend = {
  protocol: 'openai',
  upstream_model: 'large-1',
  api_base: 'https://llm.example/v1',
  auth_header: 'authorization',
  auth_scheme: 'Bearer',
  has_upstream_api_key: true,
  credential_kind: 'static',
  admission_max_concurrent: 8,
};
const rule = {
  id: 1,
  action: 'route',
  targets: [target('large'), gone],
  principals: [3],
  roles: [],
  headers: { 'x-tier': 'gold' },
  jump_to: null,
  days: [],
  utc_offset_minutes: 0,
};
const names = { principal: new Map([[3, 'nightly']]), frontendModel: new Map([[4, 'code']]) };
const price = { input_price_per_mtok: 1_000_000, output_price_per_mtok: null };

const copied: readonly Readonly<{ list: string; record: object; holds: readonly string[] }>[] = [
  {
    list: 'providers',
    record: { ...backend, name: 'rack', kind: 'static', catalogue_key: null },
    holds: ['name: "rack"', 'api_key: "os.environ/UPSTREAM_API_KEY"'],
  },
  {
    list: 'provider-models',
    record: { name: 'bare', backends: [], ...price },
    holds: ['  models:', 'input_price_per_mtok: 1000000'],
  },
  {
    list: 'provider-models',
    record: { name: 'large', description: 'Big', backends: [backend], ...price },
    holds: ['model_list:', '"model":"openai/large-1"', '"input_cost_per_token":0.000001'],
  },
  {
    list: 'model-pools',
    record: { name: 'pair', policy: null, members: [{ ...target('large'), weight: 3 }, gone] },
    holds: ['members: [{"model":"large","weight":3}]'],
  },
  {
    list: 'frontend-models',
    record: { name: 'chat', rules: [rule], default_targets: [target('large')] },
    holds: ['"principals":["nightly"]', '"targets":["large"]', 'default_targets: ["large"]'],
  },
  {
    list: 'prompt-classes',
    record: { name: 'code', tier: 'fast', min_margin: 0.1, refines: [], examples: 4 },
    holds: ['  prompt_classes:', 'min_margin: 0.1'],
  },
  {
    list: 'roles',
    record: { name: 'r', permissions: [{ verb: 'model:invoke', resource: 'model/*' }] },
    holds: ['permissions: [{"verb":"model:invoke","resource":"model/*"}]'],
  },
  {
    list: 'principals',
    record: { name: 'nightly', kind: 'service_account', email: null, roles: ['inference'] },
    holds: ['roles: ["inference"]'],
  },
];

describe('a record that is copied as YAML', () => {
  for (const { list, record, holds } of copied) {
    it(`of ${list} is read by the program: ${holds.join(', ')}`, () => {
      const yaml = yamlOfRecord(list, { ...record }, names) ?? '';
      for (const text of holds) assert.ok(yaml.includes(text), yaml);
      assert.deepEqual(reading(yaml).errors, []);
      assert.doesNotMatch(yaml, /gone|null/);
    });
  }

  it('is null if a file cannot express the record: keys, remotes, leased providers, a rule that refers to a record without a name', () => {
    for (const list of ['keys', 'mcp-servers', 'a2a-agents']) {
      assert.equal(yamlOfRecord(list, { name: 'one' }), null, list);
    }
    assert.equal(yamlOfRecord('providers', { name: 'rack', kind: 'dynamic' }), null);
    const chat = { name: 'chat', rules: [rule], default_targets: [] };
    assert.equal(yamlOfRecord('frontend-models', chat), null);
    assert.equal(
      yamlOfRecord('frontend-models', { ...chat, rules: [{ ...rule, jump_to: 9 }] }, names),
      null,
    );
  });

  it('is offered in addition to JSON and curl, without versions and secrets', () => {
    const record = { id: 7, version: 4, name: 'r', permissions: [] };
    const asked = { list: 'roles', id: 7, origin: 'https://gw.example' };
    const texts = new Map(textsOfRecord(record, asked).map(({ label, text }) => [label, text]));
    assert.deepEqual([...texts.keys()], recordLabels);
    assert.deepEqual(JSON.parse(texts.get('JSON') ?? ''), { id: 7, name: 'r', permissions: [] });
    assert.match(texts.get('curl') ?? '', /\/admin\/roles\?limit=1000' .*select\(\.id == 7\)/);
    assert.match(texts.get('gw command') ?? '', /gw import --config record\.yaml$/);
  });
});

const secretFields = /^(?:upstream_api_key|password)$/;

describe('a change that is copied as a call', () => {
  const mutations = adminRoutes.filter(
    (route) => route.path.startsWith('/admin/') && isMutation(route),
  );
  const commands = mutations.map((route) => {
    const path = route.path.replaceAll(/\{(\w+)\}/g, '7');
    const body = bodyExampleOf(route);
    const request = { method: route.method, path, ...(body === undefined ? {} : { body }) };
    return { route, body, path, command: curlCommand(request, 'https://gw.example') };
  });

  it('is the request, for every change of the API', () => {
    const script = commands.map(({ command }) => `${command}; printf '\\1'`).join('\n');
    const show = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n`;
    const env = { PATH: process.env['PATH'], PASSWORD: 'p', UPSTREAM_API_KEY: 'k' };
    const output = execFileSync('sh', ['-c', show + script], { env, encoding: 'utf8' });
    const given = output.split('\x01').map((text) => text.split('\0').slice(0, -1));
    for (const [at, { route, body, path }] of commands.entries()) {
      const name = `${route.method} ${route.path}`;
      assert.deepEqual(given[at]?.slice(1, 3), [route.method, `https://gw.example${path}`], name);
      if (body === undefined) continue;
      const sent: unknown = JSON.parse(given[at]?.at(-1) ?? '');
      const masked: unknown = JSON.parse(
        JSON.stringify(body, (field, value: unknown) =>
          secretFields.test(field) && typeof value === 'string'
            ? env[field === 'password' ? 'PASSWORD' : 'UPSTREAM_API_KEY']
            : value,
        ),
      );
      assert.deepEqual(sent, masked, name);
    }
  });

  it('contains no secret of any body', () => {
    const secrets = commands.flatMap(({ body }) => secretsIn(body));
    assert.ok(secrets.length > 0);
    for (const { command, route } of commands) {
      for (const secret of secrets) assert.ok(!command.includes(secret), route.operation);
    }
  });
});

function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    secretFields.test(name) && typeof one === 'string' ? [one] : secretsIn(one),
  );
}
