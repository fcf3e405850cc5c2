// Tests the service block of a configuration file, its keys, and the limits of the whole file.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import { issueText } from '../../../src/snapshot/file/source.ts';
import { defaultTuning } from '../../../src/snapshot/tuning.ts';
import { checkText } from '../../harness/gateway/config-file.ts';

const model =
  'model_list: [{ model_name: m, litellm_params: { model: q, api_base: http://e/v1 } }]';

function fileOf(rest: string) {
  const { file, errors } = checkText(`${model}\n${rest}`, {});
  assert.ok(file !== null, errors.map(issueText).join('\n'));
  return file;
}

const errorsOf = (rest: string): readonly string[] =>
  checkText(`${model}\n${rest}`, {}).errors.map(issueText);

describe('the tuning', () => {
  it('is that of the specification unless the block says otherwise, under either of its names', () => {
    assert.deepEqual(fileOf('').tuning, {
      prefix_bytes: 2048,
      balance_abs: 8,
      balance_rel: 1.5,
      affinity_slots: 65_536,
      unhealthy_after: 2,
      consecutive_timeout_threshold: 2,
    });
    for (const name of ['gw', 'fastllm']) {
      const { tuning } = fileOf(`${name}: { balance_rel: 2, unhealthy_after: 5 }`);
      assert.deepEqual(tuning, { ...defaultTuning, balance_rel: 2, unhealthy_after: 5 });
    }
  });

  it('is refused where it makes no sense', () => {
    assert.match(errorsOf('gw: { balance_rel: 0.5 }').join(), /^gw\.balance_rel: .*\(line 2\)$/);
    assert.match(errorsOf('gw: { affinity_slots: 0 }').join(), /^gw\.affinity_slots/);
  });

  it('that is misspelt is a warning, and a second block too', () => {
    assert.deepEqual(fileOf('gw: { prefx_bytes: 1 }\nfastllm: {}').warnings, [
      'fastllm: is ignored: the file also has a gw block (line 3)',
      'gw.prefx_bytes: is ignored: gw has no such setting (line 2)',
    ]);
  });
});

const keys = (list: string): string => `auth: { keys: [${list}] }`;

describe('a key', () => {
  it('brings its limits and its budget, with what is taken for spent', () => {
    const { snapshot } = fileOf(
      keys(
        '{ key: k, limits: { requests_per_min: 5 }, budget: { tokens_total: 9, tokens_used: 4 } }',
      ),
    );
    const [principal] = snapshot.config.principals;
    assert.deepEqual(principal?.limits, { requests_per_min: 5, tokens_per_min: null });
    assert.deepEqual(principal?.budget, {
      tokens_total: 9,
      cost_total_micros: null,
      window: 'monthly',
    });
    assert.deepEqual(snapshot.overlay.budgets, [
      { principal_id: principal?.id, tokens_used: 4, cost_used_micros: 0, window_start: null },
    ]);
  });

  it('may be given by its digest', () => {
    const digest = hash('sha256', 'k');
    assert.deepEqual(fileOf(keys(`{ key_sha256: ${digest} }`)).snapshot.secrets, {
      'key-1': digest,
    });
  });

  it('is refused without a key, with two of them, and when it or its name stands twice', () => {
    assert.match(errorsOf(keys('{ name: a }')).join(), /^auth\.keys\[0\]\.key: is required/);
    assert.match(
      errorsOf(keys('{ key: a, name: x }, { key: b, name: x }')).join(),
      /x is used twice/,
    );
    assert.match(
      errorsOf(keys('{ key: a }, { key: a, name: x }')).join(),
      /the key of another entry/,
    );
    assert.match(errorsOf(keys('{ key: a, limits: {} }')).join(), /needs requests_per_min or/);
    assert.match(
      errorsOf(keys('{ key: a, budget: { tokens_used: 1 } }')).join(),
      /needs tokens_total/,
    );
  });

  it('with a field that is not known is a warning: it may be one that was to hold it back', () => {
    assert.deepEqual(fileOf(keys('{ key: k, expire_at: never }')).warnings, [
      'auth.keys[0].expire_at: is ignored: gw has no such setting (line 2)',
    ]);
  });

  it('never expires if expires_at is null', () => {
    const own = 'gw: { principals: [{ name: p, keys: [{ key: b, name: n, expires_at: null }] }] }';
    const file = `${keys('{ key: a, expires_at: null }')}\n${own}`;
    const { api_keys } = fileOf(file).snapshot.config;
    assert.deepEqual(
      api_keys.map((one) => one.expires_at),
      [null, null],
    );
  });

  it('that grants an unknown name is a warning, and one that grants a pattern is not', () => {
    assert.deepEqual(fileOf(keys('{ key: k, models: [m, gone, go*, "*"] }')).warnings, [
      'auth.keys[0].models[1]: grants gone, but no model, pool or frontend model has this name (line 2)',
    ]);
  });

  it('never stands in a snapshot or a message in clear', () => {
    const secret = 'a-key-that-nobody-may-see-in-clear';
    assert.doesNotMatch(JSON.stringify(fileOf(keys(`{ key: ${secret} }`))), new RegExp(secret));
    assert.doesNotMatch(errorsOf(keys(`{ key: ${secret}, expires_at: x }`)).join(), /nobody/);
  });
});

describe('the records of the service block', () => {
  const records = `
gw:
  fallback_model: m
  roles: [{ name: readers, permissions: [{ verb: 'model:invoke', resource: model/m }] }]
  principals: [{ name: alice, roles: [readers], keys: [{ key: k }] }]
  pools: [{ name: p, policy: least-loaded, members: [m] }]
  prompt_classes: [{ name: code, tier: fast, min_margin: 0.1 }]
  frontend_models:
    - name: chat
      max_model_len: 100
      rules:
        - { principals: [alice], class: code, after: '22:00', before: '06:30', targets: [p] }
        - { action: deny, roles: [readers], deny_status: 418, headers: { X-Team: a } }
        - { action: jump, jump_to: other }
      default_targets: [m]
    - { name: other, default_targets: [m] }
`;

  it('become what they name', () => {
    const { config } = fileOf(records).snapshot;
    const [chat, other] = config.frontend_models;
    const [first, second, third] = chat?.rules ?? [];
    assert.deepEqual(first?.conditions.principals, [config.principals[0]?.id]);
    assert.equal(first?.conditions.class, 1);
    assert.deepEqual(
      [first?.conditions.after_minute, first?.conditions.before_minute],
      [1320, 390],
    );
    assert.deepEqual(first?.targets, [{ model_id: null, pool_id: 1 }]);
    assert.deepEqual(second?.conditions.headers, { 'x-team': 'a' });
    assert.equal(second?.deny_status, 418);
    assert.equal(third?.jump_to, other?.id);
    assert.equal(config.settings.fallback_model_id, 1);
    assert.equal(config.settings.open, false);
  });

  it('that deny answer 403 unless they name a status', () => {
    const { config } = fileOf(records.replace('deny_status: 418, ', '')).snapshot;
    assert.equal(config.frontend_models[0]?.rules[1]?.deny_status, 403);
  });

  it('skip a rule that is disabled', () => {
    const paused = records.replace(
      '{ action: deny,',
      '{ name: Paused, enabled: false, action: deny,',
    );
    const [chat] = fileOf(paused).snapshot.config.frontend_models;
    assert.deepEqual(
      chat?.rules.map(({ id, action }) => [id, action]),
      [
        [1, 'route'],
        [3, 'jump'],
      ],
    );
  });

  const refusals: readonly (readonly [from: string, to: string, RegExp])[] = [
    [
      "'22:00'",
      "'25:00'",
      /rules\[0\]\.after: must be a time from 00:00 to 23:59, was "25:00" \(line 13\)/,
    ],
    ['deny_status: 418', 'deny_status: 500', /rules\[1\]\.deny_status: must be a 4xx status/],
    ['jump_to: other', 'jump_to: gone', /chat, rule 2: jump_to gone does not exist/],
    ['jump_to: other', 'jump_to: chat', /the jumps chat > chat close a loop/],
    ['targets: [p]', 'targets: [gone]', /chat: no model or pool is named gone/],
    ['principals: [alice]', 'principals: [bob]', /principals bob does not exist/],
    ['principals: [alice]', 'principal: [alice]', /principal/],
    ['members: [m]', 'members: [gone]', /pool p: no model is named gone/],
    ['name: other', 'name: p', /p is the name of two models, pools or frontend models/],
    ['fallback_model: m', 'fallback_model: gone', /fallback_model: no model is named gone/],
  ];
  for (const [from, to, message] of refusals) {
    it(`are refused with ${to === '' ? `no ${from}` : to}`, () => {
      assert.match(errorsOf(records.replace(from, to)).join('\n'), message);
    });
  }
});

describe('a file as a whole', () => {
  it('that unfolds through aliases beyond its bound is refused', () => {
    const levels = Array.from({ length: 9 }, (_, level) => {
      const below =
        level === 0 ? 'x' : Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ');
      return `a${level}: &a${level} [${below}]`;
    });
    assert.match(errorsOf(levels.join('\n')).join(), /^file: not valid YAML: .*alias/);
  });

  it('may merge blocks, and its lines are counted through them', () => {
    const merged = `
x: &defaults { api_base: http://e/v1, api_key: k }
model_list:
  - model_name: m
    litellm_params: { <<: *defaults, model: q }
  - model_name: n
    litellm_params: { <<: *defaults, model: q, timeout: soon }
`;
    const { errors } = checkText(merged, {});
    assert.deepEqual(
      errors.map(({ line, path }) => [line, path]),
      [[7, 'model_list[1].litellm_params.timeout']],
    );
  });

  it('that is nested too deep is refused, not a crash', () => {
    assert.equal(errorsOf(`x: ${'['.repeat(100_000)}`).length, 1);
  });
});
