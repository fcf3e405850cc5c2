// Tests that an export creates an equal control plane elsewhere and contains no secret.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import * as fc from 'fast-check';

import { exportConfig } from '../../../src/control/files/export.ts';
import { importConfig } from '../../../src/control/files/import.ts';
import type { Mutation } from '../../../src/control/commands/execute.ts';
import { apiKeyId, frontendModelId, modelId, principalId } from '../../../src/lib/ids.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import type { SnapshotConfig } from '../../../src/snapshot/schema.ts';
import { checkText } from '../../harness/gateway/config-file.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

const source = `
model_list:
  - model_name: small
    litellm_params: { model: openai/openai/q, api_base: http://one:8000/v1, api_key: secret-one }
    model_info:
      description: costs $5 at most
      context_length: 4096
      cache_ttl_seconds: 60
      drop_unsupported_tools: true
      price_card:
        cache_read: 300000
        service_tiers: { batch: { percent: 50 } }
        context_tiers: [{ above_tokens: 200000, input: 6000000, output: 22500000 }]
        effective_from: '2031-01-01T00:00:00.000Z'
      admission_max_concurrent: 4
  - model_name: raw
    litellm_params:
      model: q
      api_base: http://one:8000/v1
      api_key: secret-two
      auth_header: api-key
      auth_scheme: ''
  - model_name: native
    litellm_params:
      model: anthropic/c
      api_key: secret-three
      default_max_tokens: 64
      input_cost_per_token: 3.1e-6
  - { model_name: pooled, litellm_params: { model: a, api_base: http://two/v1, weight: 3 } }
  - { model_name: pooled, litellm_params: { model: b, api_base: http://two/v1 } }
router_settings: { fallbacks: [{ small: [pooled] }] }
auth:
  keys:
    - key: a-key-that-is-long-enough
      name: team
      models: [small, pooled]
      expires_at: '2031-01-01T00:00:00Z'
      limits: { tokens_per_min: 7 }
    - { key: other, name: all, models: ['*'], budget: { cost_total_micros: 9, window: weekly } }
gw:
  fallback_model: native
  models: [{ name: nowhere, input_price_per_mtok: 5, price_card: { per_request: 7 } }]
  providers: [{ name: spare, api_base: https://spare.example/v1, api_key: secret-four }]
  roles:
    - name: readers
      description: they read
      permissions: [{ verb: 'model:invoke', resource: model/raw }]
  principals: [{ name: Ada L., kind: user, roles: [readers, operator], keys: [{ key: laptop }] }]
  prompt_classes: [{ name: code, min_margin: 0.25 }, { name: rust, tier: refined, refines: [code] }]
  pools: [{ name: p, policy: lowest-latency, members: [small, { model: raw, weight: 2 }] }]
  frontend_models:
    - name: chat
      max_model_len: 100
      rules:
        - principals: [Ada L.]
          roles: [readers]
          class: rust
          after: '22:00'
          before: '06:30'
          days: [6, 7]
          utc_offset_minutes: 60
          targets: [p, raw]
          tag: night
        - { action: deny, headers: { X-Team: a }, deny_status: 418, deny_message: no }
        - { name: Paused, enabled: false, headers: { x-team: b }, targets: [small] }
        - { name: Long streams, action: jump, jump_to: other, min_prompt_tokens: 5, stream: true }
      default_targets: [raw]
    - { name: other, default_targets: [p] }
`;

async function seeded(t: TestContext): Promise<TestPlane> {
  const test = await testPlane(t);
  await take(test, source, {});
  return test;
}

async function take(
  { plane }: TestPlane,
  text: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const given = { source: readSource(text, environment), environment, dryRun: false };
  const report = await importConfig({ plane, newId: randomUUID }, given);
  assert.ok('changes' in report, JSON.stringify(report));
  return report.changes;
}

const snapshotOf = ({ plane }: TestPlane) => {
  const snapshot = plane.publisher.current()?.snapshot;
  assert.ok(snapshot !== undefined);
  return snapshot;
};

/** The values of the variables in an export of the plane. */
function environmentOf(
  test: TestPlane,
  variables: readonly Readonly<{ name: string; provider: string }>[],
): Readonly<Record<string, string>> {
  const { config, secrets } = snapshotOf(test);
  return Object.fromEntries(
    variables.map(({ name, provider }) => {
      const found = config.providers.find((one) => one.name === provider);
      return [name, secrets[found?.credential_ref ?? ''] ?? ''];
    }),
  );
}

const by = (list: readonly Readonly<{ id: number; name: string }>[]) => (id: number | null) =>
  id === null ? null : (list.find((one) => one.id === id)?.name ?? 'gone');

/** Removes what only depends on assigned ids. */
const sorted = (list: readonly unknown[]): readonly string[] =>
  list
    .map((one) => JSON.stringify(one, (key, value: unknown) => (key === 'id' ? undefined : value)))
    .toSorted();

/** A snapshot with names instead of ids and secrets instead of refs. */
function named({ config, secrets }: ReturnType<typeof snapshotOf>): unknown {
  const model = by(config.models);
  const pool = by(config.pools);
  const provider = by(config.providers);
  const role = by(config.roles);
  const frontend = by(config.frontend_models);
  const promptClass = by(config.prompt_classes);
  const principal = (id: number) => {
    const keys = config.api_keys.filter((key) => key.principal_id === id);
    return keys.map((key) => secrets[key.verifier_ref]).join();
  };
  const target = (one: SnapshotConfig['frontend_models'][number]['default_targets'][number]) =>
    `${model(one.model_id)}/${pool(one.pool_id)}`;
  return {
    providers: sorted(
      config.providers.map(({ credential_ref: ref, ...rest }) => [rest, secrets[ref ?? '']]),
    ),
    models: sorted(
      // Earlier versions of prices are not in a file, which has all that follows from them.
      config.models.map(({ backends, price_versions: _earlier, ...rest }) => [
        rest,
        backends.map(({ provider_id: id, ...backend }) => [provider(id), backend]),
      ]),
    ),
    roles: sorted(config.roles),
    callers: sorted(
      config.principals.map(({ id, role_ids: roles, limits, budget }) => [
        principal(id),
        roles.map((id) => String(role(id))).toSorted(),
        limits,
        budget,
      ]),
    ),
    keys: sorted(config.api_keys.map((key) => [secrets[key.verifier_ref], key.expires_at])),
    pools: sorted(
      config.pools.map(({ members, ...rest }) => [
        rest,
        members.map(({ model_id: id, weight }) => [model(id), weight]),
      ]),
    ),
    frontends: sorted(
      config.frontend_models.map(({ rules, default_targets: defaults, ...rest }) => [
        rest,
        defaults.map(target),
        rules.map(({ targets, jump_to: jump, conditions, ...rule }) => [
          rule,
          targets.map(target),
          frontend(jump),
          {
            ...conditions,
            principals: conditions.principals.map(principal),
            roles: conditions.roles.map(role),
            class: promptClass(conditions.class),
          },
        ]),
      ]),
    ),
    classes: sorted(
      config.prompt_classes.map(({ refines, ...rest }) => [rest, refines.map(promptClass)]),
    ),
    fallback: model(config.settings.fallback_model_id),
  };
}

describe('an export', () => {
  it('makes the same snapshot except for ids when imported into an empty control plane', async (t) => {
    const from = await seeded(t);
    const { text, variables } = await exportConfig(from.plane);
    const to = await testPlane(t);
    const environment = environmentOf(from, variables);
    await take(to, text, environment);
    assert.deepEqual(named(snapshotOf(to)), named(snapshotOf(from)));
    // Importing it again reports nothing for either.
    assert.deepEqual(await take(to, text, environment), []);
    assert.deepEqual(await take(from, text, environment), []);
  });

  it('is served in File mode as the control plane serves it', async (t) => {
    const from = await seeded(t);
    const { text, variables } = await exportConfig(from.plane);
    const { file, errors } = checkText(text, environmentOf(from, variables));
    assert.deepEqual(errors, []);
    assert.ok(file !== null);
    assert.deepEqual(named(file.snapshot), named(snapshotOf(from)));
  });

  it('contains no credential or key, and lists the variables for them', async (t) => {
    const { text, variables } = await exportConfig((await seeded(t)).plane);
    assert.doesNotMatch(text, /secret-|a-key-that-is-long-enough|laptop/);
    assert.deepEqual(
      variables.map(({ name }) => name),
      [
        'PROVIDER_KEY_SPARE',
        'PROVIDER_KEY_ONE_8000',
        'PROVIDER_KEY_ONE_8000_2',
        'PROVIDER_KEY_API_ANTHROPIC_COM',
      ],
    );
    assert.match(text, /^# Exported at snapshot version \d+/);
  });

  it('is the same each time', async (t) => {
    const { plane } = await seeded(t);
    assert.equal((await exportConfig(plane)).text, (await exportConfig(plane)).text);
  });

  it('omits deleted and revoked entities, and says so', async (t) => {
    const test = await seeded(t);
    const chat = frontendModelId.parse(
      snapshotOf(test).config.frontend_models.find(({ name }) => name === 'chat')?.id,
    );
    const ada = snapshotOf(test).config.principals.at(-1)?.id;
    const changes: readonly Mutation['command'][] = [
      { type: 'RevokeApiKey', id: apiKeyId.parse(1) },
      { type: 'DeletePrincipal', id: principalId.parse(ada) },
      {
        type: 'DeleteModel',
        id: modelId.parse(snapshotOf(test).config.models.find(({ name }) => name === 'raw')?.id),
      },
      {
        type: 'AddRule',
        frontendModelId: chat,
        rule: { conditions: { class: 'rust', roles: [] }, targets: [] },
      },
    ];
    for (const command of changes) await test.run({ command });
    const { text, warnings } = await exportConfig(test.plane);
    assert.deepEqual(warnings, [
      'member raw of pool p, which was deleted',
      'target raw of chat, which was deleted',
      'target raw of chat, which was deleted',
    ]);
    assert.doesNotMatch(text, /Ada/);
    const to = await testPlane(t);
    await take(
      to,
      text,
      Object.fromEntries([...text.matchAll(/PROVIDER_\w+/g)].map(([name]) => [name, name])),
    );
    assert.deepEqual(
      snapshotOf(to).config.api_keys.length,
      snapshotOf(test).config.api_keys.length,
    );
  });
});

describe('a price', () => {
  it('restores a price exactly, however high it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e15 }), (price) => {
        const cost = JSON.stringify(price / 1e12);
        const entry = `{ model: q, api_base: http://e/v1, input_cost_per_token: ${cost} }`;
        const text = `model_list: [{ model_name: m, litellm_params: ${entry} }]`;
        const model = checkText(text, {}).file?.snapshot.config.models[0];
        assert.equal(model?.input_price_per_mtok, price);
      }),
    );
  });
});
