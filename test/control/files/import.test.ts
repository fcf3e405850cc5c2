// Tests that an import makes what a configuration file states, completely or not at all, and can be
// repeated.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { readEvents } from '../../../src/db/log/event-log.ts';
import { importConfig } from '../../../src/control/files/import.ts';
import type { ImportReport } from '../../../src/control/files/import.ts';
import { apiKeyId, principalId } from '../../../src/lib/ids.ts';
import { readSource } from '../../../src/snapshot/file/source.ts';
import { plainName } from '../../harness/events/examples.ts';
import { testPlane } from '../../harness/control/plane.ts';
import type { TestPlane } from '../../harness/control/plane.ts';

type Given = Readonly<{ environment?: Readonly<Record<string, string>>; dryRun?: boolean }>;

const attempt = (
  { plane }: TestPlane,
  text: string,
  { environment = {}, dryRun = false }: Given = {},
) => {
  const source = readSource(text, environment);
  return importConfig({ plane, newId: randomUUID }, { source, environment, dryRun });
};

async function run(test: TestPlane, source: string, given: Given = {}): Promise<ImportReport> {
  const report = await attempt(test, source, given);
  assert.ok('changes' in report, JSON.stringify(report));
  return report;
}

async function refused(test: TestPlane, source: string): Promise<string> {
  const refusals = await attempt(test, source);
  assert.ok(!('changes' in refusals), 'it was not refused');
  return refusals.map(({ message }) => message).join('\n');
}

const imported = async (t: TestContext, source: string): Promise<TestPlane> => {
  const test = await testPlane(t);
  await run(test, source);
  return test;
};

const configOf = ({ plane }: TestPlane) => {
  const snapshot = plane.publisher.current()?.snapshot;
  assert.ok(snapshot !== undefined);
  return { ...snapshot.config, secrets: snapshot.secrets };
};

const namesOf = (list: readonly Readonly<{ name: string }>[]): readonly string[] =>
  list.map(({ name }) => name);

const entry = (name: string, host: string, more = ''): string =>
  `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_base: http://${host}/v1${more} } }\n`;
const keyed = (list: string): string => `auth: { keys: [${list}] }\n`;

const withProvider = (more: string): string =>
  `gw: { models: [{ name: m }], providers: [{ name: p, api_base: "http://e"${more} }] }`;

describe('an import', () => {
  const source = `
model_list:
${entry('small', 'one:8000', ', api_key: secret-one, input_cost_per_token: 1e-6, output_cost_per_token: 2e-6')}
${entry('large', 'one:8000', ', api_key: secret-one, default_max_tokens: 64')}
${entry('other', 'two', '')}
litellm_settings: { default_fallbacks: [small] }
${keyed('{ key: a-key-of-more-than-24-characters, name: team, models: [small, large] }')}`;

  it('creates providers by address and auth, models, a principal and its role', async (t) => {
    const config = configOf(await imported(t, source));
    assert.deepEqual(namesOf(config.providers), ['one:8000', 'two']);
    assert.deepEqual(namesOf(config.models), ['small', 'large', 'other']);
    assert.equal(config.models[0]?.input_price_per_mtok, 1_000_000);
    assert.equal(config.models[1]?.backends[0]?.default_max_tokens, 64);
    assert.equal(config.settings.fallback_model_id, config.models[0]?.id);
    const role = config.roles.find(({ name }) => name === 'import:team');
    assert.deepEqual(
      role?.permissions.map(({ resource }) => resource),
      ['model/large', 'model/small'],
    );
    assert.equal(config.secrets[config.providers[0]?.credential_ref ?? ''], 'secret-one');
  });

  it('changes nothing and leaves no event when it is run again', async (t) => {
    const test = await imported(t, source);
    const { position } = test.plane.store.state();
    const again = await run(test, source);
    assert.deepEqual(again.changes, []);
    assert.equal(test.plane.store.state().position, position);
  });

  it('is one command with one audit row and no secret in its events', async (t) => {
    const test = await imported(t, source);
    const events = await readEvents(test.plane.db, { after: 0, limit: 1000 });
    const own = events.filter(({ metadata }) => metadata.target === 'import');
    assert.equal(new Set(own.map(({ txId }) => txId)).size, 1);
    assert.deepEqual(own[0]?.metadata.actor, { kind: 'cli', principal_id: null });
    assert.doesNotMatch(JSON.stringify(events), /secret-one|a-key-of-more/);
  });

  it('lists each change without secrets in a dry run, and makes none', async (t) => {
    const test = await testPlane(t);
    const { position } = test.plane.store.state();
    const { changes } = await run(test, source, { dryRun: true });
    assert.ok(changes.includes('ModelPriced model small'), changes.join('\n'));
    assert.ok(changes.includes('RolePermissionGranted role import:team model/small'));
    assert.doesNotMatch(changes.join('\n'), /secret-one|a-key-of-more/);
    assert.equal(test.plane.store.state().position, position);
  });

  it('refuses a provider that the admin API would refuse', async (t) => {
    const test = await testPlane(t);
    const cases: readonly (readonly [string, RegExp])[] = [
      [
        ', credential_kind: cloud_service_account, api_key: "{}"',
        /^provider p: upstream_api_key is not a service account key file in JSON$/,
      ],
      [', catalogue_key: nowhere', /^provider p: catalogue_key nowhere is not in the catalogue$/],
    ];
    for (const [more, message] of cases) {
      assert.match(await refused(test, withProvider(more)), message);
      assert.equal(test.plane.store.state().provider.byId.size, 0);
    }
    await run(test, withProvider(', catalogue_key: openai'));
  });

  it('leaves nothing when it is refused, and names every line', async (t) => {
    const test = await testPlane(t);
    const { position } = test.plane.store.state();
    const wrong = source.replace('openai/other', 'bedrock/other').replace('[small, large]', '7');
    const [first = '', second = '', ...others] = (await refused(test, wrong)).split('\n');
    assert.match(first, /^auth\.keys\[0\]\.models: .*\(line 10\)$/);
    assert.match(second, /^model_list\[2\]\..*: gw has no protocol for bedrock\/.* \(line 7\)$/);
    assert.deepEqual(others, []);
    assert.equal(test.plane.store.state().position, position);
  });
});

describe('an import that names no model', () => {
  it('adds its records to the existing ones', async (t) => {
    const test = await imported(t, `model_list:\n${entry('m', 'one')}`);
    await run(test, 'gw: { roles: [{ name: readers, description: May read }] }');
    await run(test, 'gw: { frontend_models: [{ name: chat }] }');
    const config = configOf(test);
    assert.deepEqual(namesOf(config.models), ['m']);
    assert.deepEqual(namesOf(config.frontend_models), ['chat']);
    assert.ok(namesOf(config.roles).includes('readers'));
  });

  it('and nothing else is refused', async (t) => {
    const test = await testPlane(t);
    for (const source of ['{}', 'gw: { roles: [] }']) {
      assert.match(await refused(test, source), /names no model/);
    }
  });
});

const one = (more: string, rest = ''): string => `model_list:\n${entry('m', 'one', more)}${rest}`;

describe('an import of a changed file', () => {
  it('changes the credential of the existing provider and creates no second one', async (t) => {
    const test = await imported(t, one(', api_key: old'));
    const [before] = configOf(test).providers;
    await run(test, one(', api_key: new'));
    const config = configOf(test);
    assert.deepEqual(
      config.providers.map(({ id }) => id),
      [before?.id],
    );
    assert.equal(config.secrets[config.providers[0]?.credential_ref ?? ''], 'new');
  });

  it('keeps a credential that the file does not name', async (t) => {
    const test = await imported(t, one(', api_key: kept'));
    assert.deepEqual((await run(test, one(''))).changes, []);
    assert.deepEqual((await run(test, one(', api_key: none'))).changes, []);
  });

  it('changes the auth of the provider in place', async (t) => {
    const test = await imported(t, one(', api_key: k'));
    await run(test, one(', api_key: k, auth_header: Api-Key, auth_scheme: ""'));
    const [provider, ...others] = configOf(test).providers;
    assert.deepEqual([provider?.auth_header, provider?.auth_scheme, others], ['api-key', null, []]);
  });

  it('leaves a provider alone that serves models outside of the file, and moves its own models', async (t) => {
    const test = await imported(
      t,
      `${one(', api_key: old')}${entry('n', 'one', ', api_key: old')}`,
    );
    await run(test, one(', api_key: new'));
    const { models, providers, secrets } = configOf(test);
    const credentials = models.map(({ backends: [backend] }) => {
      const provider = providers.find(({ id }) => id === backend?.provider_id);
      return secrets[provider?.credential_ref ?? ''];
    });
    assert.deepEqual(credentials, ['new', 'old']);
  });

  it('moves a model to its new provider', async (t) => {
    const test = await imported(t, one(''));
    await run(test, `model_list:\n${entry('m', 'two')}`);
    const { models, providers } = configOf(test);
    assert.equal(
      providers.find(({ id }) => id === models[0]?.backends[0]?.provider_id)?.name,
      'two',
    );
  });

  it('keeps prices that it does not state', async (t) => {
    const test = await imported(t, one(', input_cost_per_token: 1e-6'));
    assert.deepEqual((await run(test, one(''))).changes, []);
  });

  it('revokes removed grants', async (t) => {
    const rest = entry('n', 'one');
    const test = await imported(t, one('', rest + keyed('{ key: k, name: team, models: [m, n] }')));
    const { changes } = await run(
      test,
      one('', rest + keyed('{ key: k, name: team, models: [n] }')),
    );
    assert.deepEqual(changes, ['RolePermissionRevoked role import:team model/m']);
  });

  it('makes a pool of a model with a second entry; the model keeps its id', async (t) => {
    const test = await imported(t, one('', keyed('{ key: k, name: team, models: [m] }')));
    const [before] = configOf(test).models;
    const two = `${entry('m', 'one', ', weight: 3')}${entry('m', 'two')}`;
    const grown = `model_list:\n${two}${keyed('{ key: k, name: team, models: [m] }')}`;
    await run(test, grown);
    const config = configOf(test);
    assert.deepEqual(namesOf(config.models), ['m@one', 'm@two']);
    assert.equal(config.models[0]?.id, before?.id);
    assert.deepEqual(
      config.pools[0]?.members.map(({ weight }) => weight),
      [3, 1],
    );
    assert.deepEqual(namesOf(config.frontend_models), ['m']);
    const role = config.roles.find(({ name }) => name === 'import:team');
    assert.deepEqual(
      role?.permissions.map(({ resource }) => resource),
      ['model/m@one', 'model/m@two'],
    );
    assert.deepEqual((await run(test, grown)).changes, []);
    // With one entry again, clients still call this name, and it leads to that entry.
    await run(test, one(''));
    const [frontend] = configOf(test).frontend_models;
    assert.deepEqual(frontend?.default_targets, [{ model_id: before?.id, pool_id: null }]);
  });
});

const withKeys = (list: string): string => `model_list:\n${entry('m', 'one')}${keyed(list)}`;

const rights = (used: number): string =>
  withKeys(
    `{ key: k, name: team, limits: { tokens_per_min: 7 }, budget: { tokens_total: 9, tokens_used: ${used} } }`,
  );

describe('an imported key', () => {
  it('is enabled again after a revocation, and expires when the file says', async (t) => {
    const test = await imported(t, withKeys('{ key: k, name: team }'));
    await test.run({ command: { type: 'RevokeApiKey', id: apiKeyId.parse(1) } });
    assert.deepEqual(configOf(test).api_keys, []);
    await run(test, withKeys('{ key: k, name: team, expires_at: "2031-01-01T01:00:00+01:00" }'));
    assert.equal(configOf(test).api_keys[0]?.expires_at, '2031-01-01T00:00:00.000Z');
  });

  it('replaces the key that it was before', async (t) => {
    const test = await imported(t, withKeys('{ key: old, name: team }'));
    const { changes } = await run(test, withKeys('{ key: new, name: team }'));
    assert.deepEqual(changes, ['ApiKeyRevoked api_key team', 'ApiKeyCreated api_key team']);
  });

  it('is not attached to a principal that no import created', async (t) => {
    const test = await testPlane(t);
    const name = { ...plainName('team'), fingerprint: test.plane.vault.fingerprint('team') };
    await test.run({
      command: { type: 'CreatePrincipal', name, kind: 'service_account', emailRef: null },
    });
    assert.equal(
      await refused(test, withKeys('{ key: k, name: team }')),
      'principal team: principal team exists and was not created by an import',
    );
  });

  it('warns of a grant for a name that neither the file nor gw knows', async (t) => {
    const test = await imported(t, `model_list:\n${entry('known', 'one')}`);
    const source = `model_list:\n${entry('m', 'one')}${keyed('{ key: k, models: [m, known, gone] }')}`;
    const [warning = '', ...others] = (await run(test, source)).warnings;
    assert.match(warning, /^auth\.keys\[0\]\.models\[2\]: grants gone, but no model/);
    assert.deepEqual(others, []);
  });

  it('is refused when it belongs to another principal', async (t) => {
    const test = await imported(t, withKeys('{ key: k, name: team }'));
    assert.match(
      await refused(test, withKeys('{ key: k, name: other }')),
      /key of another principal/,
    );
  });

  it('sets limits and a budget, whose initial spending counts once', async (t) => {
    const test = await imported(t, rights(5));
    const principal = configOf(test).principals.find(({ id }) => id === principalId.parse(2));
    assert.deepEqual(principal?.limits, { requests_per_min: null, tokens_per_min: 7 });
    assert.deepEqual(principal?.budget, {
      tokens_total: 9,
      cost_total_micros: null,
      window: 'monthly',
    });
    const events = await readEvents(test.plane.db, { after: 0, limit: 1000 });
    const set = events.find((event) => event.type === 'PrincipalBudgetSet');
    assert.equal(set?.data.initial_tokens_used, 5);
    assert.deepEqual((await run(test, rights(6))).changes, []);
  });
});

describe('the records of the service block', () => {
  const records = `
model_list:
${entry('a', 'one')}${entry('b', 'two')}
gw:
  roles: [{ name: readers, permissions: [{ verb: 'model:invoke', resource: model/a }] }]
  principals:
    - { name: alice, kind: user, roles: [readers, operator], keys: [{ key: k, name: laptop }] }
  prompt_classes:
    - { name: rust, tier: refined, refines: [code] }
    - { name: code, examples: [write a function, { prompt: mend a test, label: broken test }] }
  pools: [{ name: p, policy: least-loaded, members: [a, { model: b, weight: 2 }] }]
  frontend_models:
    - name: chat
      max_model_len: 100
      rules:
        - { principals: [alice], class: rust, after: '22:00', days: [6], targets: [p] }
        - { action: jump, jump_to: other, headers: { X-Team: a } }
      default_targets: [a]
    - { name: other, default_targets: [b] }
`;

  it('are created once with everything that they name', async (t) => {
    const test = await imported(t, records);
    const config = configOf(test);
    const [chat, other] = config.frontend_models;
    const [rule, jump] = chat?.rules ?? [];
    assert.equal(
      rule?.conditions.class,
      config.prompt_classes.find(({ name }) => name === 'rust')?.id,
    );
    assert.equal(rule?.conditions.principals.length, 1);
    const code = [...test.plane.store.state().prompt_class.byId.values()].find(
      ({ name }) => name === 'code',
    );
    assert.deepEqual(
      code?.examples.map(({ label }) => label),
      [undefined, 'broken test'],
    );
    assert.deepEqual(rule?.targets, [{ model_id: null, pool_id: config.pools[0]?.id }]);
    assert.equal(jump?.jump_to, other?.id);
    assert.deepEqual((await run(test, records)).changes, []);
  });

  it('follow the file: a changed rule keeps its place', async (t) => {
    const test = await imported(t, records);
    const { changes } = await run(test, records.replace('days: [6]', 'days: [7]'));
    assert.deepEqual(changes, ['FrontendModelRuleChanged frontend_model chat']);
    const gone = await run(test, records.replace('readers, operator', 'readers'));
    assert.equal(
      gone.changes.some((change) => change.startsWith('PrincipalRoleRevoked')),
      true,
    );
  });

  it('are refused completely when they name something unknown', async (t) => {
    const test = await testPlane(t);
    const { position } = test.plane.store.state();
    assert.match(
      await refused(test, records.replace('class: rust', 'class: gone')),
      /^frontend model chat: .*class gone does not exist/,
    );
    assert.equal(test.plane.store.state().position, position);
  });
});
