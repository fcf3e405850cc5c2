// Tests model_list of a configuration file: prefixes of model names, the fields of entries, and
// names with several entries.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { issueText } from '../../../src/snapshot/file/source.ts';
import type { Environment } from '../../../src/snapshot/file/source.ts';
import { checkText } from '../../harness/gateway/config-file.ts';

function configOf(source: string, environment: Environment = {}) {
  const { file, errors } = checkText(source, environment);
  assert.ok(file !== null, errors.map(issueText).join('\n'));
  return { ...file.snapshot.config, secrets: file.snapshot.secrets, warnings: file.warnings };
}

const errorsOf = (source: string, environment: Environment = {}): readonly string[] =>
  checkText(source, environment).errors.map(issueText);

const entry = (parameters: string, rest = ''): string =>
  `model_list: [{ model_name: m, litellm_params: { ${parameters} }${rest} }]`;

describe('the prefix of a model', () => {
  const own = 'api_base: http://engine:8000/v1';
  const cases: readonly (readonly [string, string, string, string])[] = [
    // Columns: model and address in the file; upstream name, protocol and address in gw.
    [`openai/q, ${own}`, 'q', 'openai', 'http://engine:8000/v1'],
    [`vllm/q, ${own}`, 'q', 'openai', 'http://engine:8000/v1'],
    [`hosted_vllm/a/q, ${own}`, 'a/q', 'openai', 'http://engine:8000/v1'],
    [`openai_like/q, ${own}`, 'q', 'openai', 'http://engine:8000/v1'],
    [`openai//model, ${own}`, '/model', 'openai', 'http://engine:8000/v1'],
    [`meta-llama/q, ${own}`, 'meta-llama/q', 'openai', 'http://engine:8000/v1'],
    [`groq/q, ${own}`, 'groq/q', 'openai', 'http://engine:8000/v1'],
    ['openai/gpt-x', 'gpt-x', 'openai', 'https://api.openai.com/v1'],
    ['gpt-x', 'gpt-x', 'openai', 'https://api.openai.com/v1'],
    ['groq/meta/q', 'meta/q', 'openai', 'https://api.groq.com/openai/v1'],
    ['openrouter/meta/q:free', 'meta/q:free', 'openai', 'https://openrouter.ai/api/v1'],
    ['anthropic/claude-x', 'claude-x', 'anthropic', 'https://api.anthropic.com'],
    ['claude-x', 'claude-x', 'anthropic', 'https://api.anthropic.com'],
    [`gemini/g, api_base: 'https://v.example/v1'`, 'g', 'gemini', 'https://v.example/v1'],
    [`anthropic/c, protocol: openai, ${own}`, 'anthropic/c', 'openai', 'http://engine:8000/v1'],
    [`c, protocol: native_a, ${own}`, 'c', 'anthropic', 'http://engine:8000/v1'],
    [`'ollama/q:0.8b', api_base: 'http://o:11434'`, 'q:0.8b', 'openai', 'http://o:11434/v1'],
    [`'ollama_chat/q', api_base: 'http://o:1/v1/'`, 'q', 'openai', 'http://o:1/v1'],
  ];
  for (const [written, upstream, protocol, address] of cases) {
    it(`of ${written}`, () => {
      const { models, providers } = configOf(entry(`model: ${written}`));
      assert.equal(models[0]?.backends[0]?.upstream_model, upstream);
      assert.deepEqual([providers[0]?.protocol, providers[0]?.api_base], [protocol, address]);
    });
  }

  it('names the variable of a credential that the file does not name', () => {
    const { secrets } = configOf(entry('model: groq/q'), { GROQ_API_KEY: 'from-env' });
    assert.deepEqual(secrets, { 'provider-1': 'from-env' });
  });
});

describe('what cannot be served is refused with its line:', () => {
  const address = 'api_base: http://e/v1';
  const cases: readonly (readonly [string, RegExp])[] = [
    [
      `model: '*'`,
      /model: \* is a wildcard; list each model by its own name; --skip.* \(line 1\)$/,
    ],
    ['model: bedrock/x', /model: gw has no protocol for bedrock\/; .* prefix openai\//],
    [
      'model: azure/x, api_base: https://x.example',
      /model: gw has no protocol for azure\/; .*openai\/v1/,
    ],
    ['model: acme/x', /api_base: is required: gw knows no address for acme\//],
    ['model: gemini-x', /api_base: is required for gemini-x; .* write model: gemini\/gemini-x/],
    ['model: vertex_ai/x', /for Google AI Studio, write gemini\//],
    ['model: text-completion-openai/x', /write openai\//],
    ['model: x', /api_base: is required for x; or write the prefix of its vendor, .* \(line 1\)$/],
    ['model: x, api_base: ftp://e', /api_base: is not an http or https address/],
    ['model: x, api_base: https://u:p@e/v1', /api_base: must not contain a user name/],
    ['model: x, api_base: https://e/v1?a=b', /api_base: must not have a query/],
    ['model: x, api_base: https://<host>/v1', /api_base: still contains the placeholder <host>/],
    [
      'model: openai/x, api_key: "${OPENAI_API_KEY}"',
      /shell variable.*os\.environ\/OPENAI_API_KEY/,
    ],
    ['model: os.environ/MODEL', /model: environment variable MODEL is not set/],
    [`model: x, ${address}, protocol: smtp`, /protocol/],
    [`model: x, ${address}, api_key: "a\\nb"`, /api_key: must be printable ASCII/],
    [`model: x, ${address}, default_max_tokens: 0`, /default_max_tokens/],
    [`model: x, ${address}, weight: 1000001`, /weight: must be at most 1000000, was 1000001/],
    [
      `model: x, ${address}, input_cost_per_token: -1`,
      /input_cost_per_token: must be a number from 0 to 1000, was -1/,
    ],
    [
      `model: x, ${address}, cache_read_input_token_cost_flex: free`,
      /cache_read_input_token_cost_flex: must be a number/,
    ],
  ];
  for (const [parameters, message] of cases) {
    it(parameters, () => assert.match(errorsOf(entry(parameters)).join('\n'), message));
  }

  it('of entries that are served alike, the sum of their weights', () => {
    const one = `{ model_name: m, litellm_params: { model: x, ${address}, weight: 600000 } }`;
    const other = one.replace('weight: 600000', 'rpm: 1').replace('model: x', 'model: y');
    const errors = errorsOf(`model_list: [${one}, ${one}, ${other}]`);
    assert.match(errors.join('\n'), /weight of .* adds up to 1200000, over 1000000/);
  });

  it('all of it at once', () => {
    const source = `
model_list:
  - { model_name: '*', litellm_params: { model: openai/x } }
  - { model_name: b, litellm_params: { model: bedrock/x } }
general_settings: { master_key: '\${KEY:-sk-1}' }`;
    assert.deepEqual(
      errorsOf(source.replace('general_settings', 'other')).map(
        (text) => /line \d+/.exec(text)?.[0],
      ),
      ['line 3', 'line 4'],
    );
    assert.match(errorsOf(source).join('\n'), /master_key: is a shell variable.*\(line 5\)/);
  });
});

const prices = (source: string) =>
  configOf(source).models.map((model) => [model.input_price_per_mtok, model.output_price_per_mtok]);

describe('of an entry', () => {
  it('costs a token become micro-units per million, wherever and however they are written', () => {
    const at = 'model: x, api_base: http://e/v1';
    const written = 'input_cost_per_token: 0.00000125, output_cost_per_token: "1e-5"';
    assert.deepEqual(prices(entry(`${at}, ${written}`)), [[1_250_000, 10_000_000]]);
    assert.deepEqual(prices(entry(at, `, model_info: { ${written} }`)), [[1_250_000, 10_000_000]]);
    assert.deepEqual(prices(entry(`${at}, input_cost_per_token: 0`)), [[0, null]]);
  });

  it('every price of a price list becomes part of a price card', () => {
    const info = 'cache_read_input_token_cost: 9, input_cost_per_token_batches: 5e-7';
    const source = entry(
      'model: x, api_base: http://e/v1, input_cost_per_token: 1e-6, cache_read_input_token_cost: 1e-7',
      `, model_info: { ${info} }`,
    );
    const { models, warnings } = configOf(source);
    const { fallbacks, ...card } = models[0]?.price_card ?? {};
    assert.deepEqual(card, {
      cache_read: 100_000,
      service_tiers: { batch: { input: 500_000 } },
    });
    assert.equal(fallbacks?.input_image, 'input');
    assert.deepEqual(warnings, []);
  });

  it('a price card of model_info has priority over other prices', () => {
    const info = 'cache_read_input_token_cost: 1e-7, price_card: { cache_read: 5 }';
    const source = entry('model: x, api_base: http://e/v1', `, model_info: { ${info} }`);
    assert.deepEqual(configOf(source).models[0]?.price_card, { cache_read: 5 });
  });

  it('a number of tokens that other readers take for any is read, and of our own keys refused', () => {
    const many = String(2 ** 40);
    const info = (key: string): string => `, model_info: { ${key}: ${many} }`;
    const [model] = configOf(
      entry(`model: claude-x, max_tokens: ${many}`, info('max_input_tokens')),
    ).models;
    assert.deepEqual(
      [model?.context_length, model?.backends[0]?.default_max_tokens],
      [2 ** 40, 2 ** 40],
    );
    assert.match(errorsOf(entry('model: x', info('context_length'))).join(), /context_length/);
  });

  it('the context window, the timeout and the native default of max_tokens are taken over', () => {
    const { models } = configOf(
      entry(
        'model: anthropic/c, max_tokens: 99, timeout: 1.5',
        ', model_info: { max_input_tokens: 200000, cache_ttl_seconds: 60, admission_max_concurrent: 4 }',
      ),
    );
    assert.equal(models[0]?.context_length, 200_000);
    assert.equal(models[0]?.cache_ttl_seconds, 60);
    const [backend] = models[0]?.backends ?? [];
    assert.equal(backend?.default_max_tokens, 99);
    assert.equal(backend?.upstream_timeout_seconds, 2);
    assert.equal(backend?.admission_max_concurrent, 4);
  });

  it('what gw ignores is a warning that names it, unless it is switched off', () => {
    const { warnings } = configOf(`
model_list:
  - model_name: m
    litellm_params: { model: x, api_base: http://e/v1, rpm: 6, whatever: 1, drop_params: false }
    model_info: { base_model: x }
router_settings: { routing_strategy: simple-shuffle }
router_settings: { num_retries: 2 }
`);
    assert.deepEqual(warnings, [
      'router_settings: appears twice; the last one is used (line 7)',
      'model_list[0].litellm_params.rpm: is ignored: gw limits callers, not models; set auth.keys[].limits (line 4)',
      'model_list[0].litellm_params.whatever: is ignored: gw has no such setting (line 4)',
      'model_list[0].model_info.base_model: is ignored: gw routes only by name and does not need this (line 5)',
      'router_settings.num_retries: is ignored: gw retries at other backends; see --attempts-max and --max-retries (line 7)',
    ]);
  });
});

const two = (first: string, second: string, rest = ''): string => `
model_list:
  - { model_name: m, litellm_params: { model: q, api_base: http://one/v1${first} } }
  - { model_name: m, litellm_params: { model: q, api_base: http://two/v1${second} } }
${rest}`;

describe('a key file of a cloud service account', () => {
  it('is a warning in File mode, which exchanges none', () => {
    const parameters = 'model: q, api_base: https://c.example/v1, api_key: "{}"';
    const { warnings } = configOf(entry(`${parameters}, credential_kind: gcp_service_account`));
    assert.deepEqual(warnings, [
      'file: https://c.example/v1 is not used: credential_kind cloud_service_account needs a control plane',
    ]);
  });
});

describe('several entries of one name', () => {
  it('are one model with several backends', () => {
    const { models, pools } = configOf(two('', ''));
    assert.deepEqual([models.length, models[0]?.backends.length, pools.length], [1, 2, 0]);
  });

  it('that are weighed are members of a pool, named for their hosts', () => {
    const { models, pools, frontend_models } = configOf(two(', weight: 3', ''));
    assert.deepEqual(
      models.map(({ name }) => name),
      ['m@one', 'm@two'],
    );
    assert.deepEqual(
      pools[0]?.members.map(({ weight }) => weight),
      [3, 1],
    );
    assert.equal(frontend_models[0]?.name, 'm');
    assert.deepEqual(frontend_models[0]?.default_targets, [{ model_id: null, pool_id: 1 }]);
  });

  it('of weight 0 are drained', () => {
    const { models, pools } = configOf(two(', weight: 0', ''));
    const ids = Object.fromEntries(models.map(({ name, id }) => [name, id]));
    assert.deepEqual(pools[0]?.members, [{ model_id: ids['m@two'], weight: 1 }]);
    assert.deepEqual(pools[0]?.drained, [ids['m@one']]);
  });

  it('that cost differently are members of a pool too', () => {
    const { models } = configOf(two(', input_cost_per_token: 1e-6', ''));
    assert.deepEqual(
      models.map((model) => model.input_price_per_mtok),
      [1_000_000, null],
    );
  });

  it('are opened together by a grant on the name', () => {
    const { roles } = configOf(
      two(', weight: 3', '', 'auth: { keys: [{ key: k, name: a, models: [m] }] }'),
    );
    assert.deepEqual(
      roles[0]?.permissions.map(({ resource }) => resource),
      ['model/m@one', 'model/m@two'],
    );
  });

  it('of one host are told apart by what they are called there, then by number', () => {
    const { models } = configOf(`
model_list:
  - { model_name: m, litellm_params: { model: a, api_base: http://one/v1, weight: 1 } }
  - { model_name: m, litellm_params: { model: b, api_base: http://one/v1 } }
  - { model_name: m, litellm_params: { model: b, api_base: http://one/v1, api_key: k } }
  - { model_name: m, litellm_params: { model: b, api_base: http://one/v1, api_key: k } }
`);
    assert.deepEqual(
      models.map(({ name }) => name),
      ['m@one/a', 'm@one/b', 'm@one/b#2'],
    );
  });
});

describe('fallbacks and aliases', () => {
  const source = `
model_list:
  - { model_name: a, litellm_params: { model: a, api_base: http://one/v1 } }
  - { model_name: b, litellm_params: { model: b, api_base: http://two/v1 } }
  - { model_name: c, litellm_params: { model: c, api_base: http://two/v1 } }
router_settings:
  fallbacks: [{ a: [b, c] }]
  model_group_alias: { fast: a, slow: { model: b, hidden: true } }
litellm_settings: { default_fallbacks: [c] }
`;

  it('make a frontend model of the name, followed by its fallbacks', () => {
    const { models, frontend_models: frontends, settings } = configOf(source);
    const nameOf = (id: number | null) => models.find((model) => model.id === id)?.name;
    const chains = frontends.map(({ name, default_targets: targets }) => {
      const chain = targets.map(({ model_id: id }) => nameOf(id));
      return `${name}: ${chain.join(' ')}`;
    });
    assert.deepEqual(chains, ['a: a@one b c', 'fast: a@one b c', 'slow: b']);
    assert.equal(nameOf(settings.fallback_model_id), 'c');
  });

  it('that name what is not there are refused', () => {
    assert.deepEqual(errorsOf(source.replace('[b, c]', '[b, gone]')), [
      'router_settings.fallbacks[0].a[1]: no entry of model_list is named gone (line 7)',
    ]);
    assert.match(
      errorsOf(source.replace('fast: a', 'b: a')).join(),
      /b is also the name of a model/,
    );
  });
});
