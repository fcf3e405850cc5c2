// Tests that each ignored setting of the common format is reported with its line and what gw does
// instead.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { issueText } from '../../../src/snapshot/file/source.ts';
import { checkText } from '../../harness/gateway/config-file.ts';

const entry = (more = '', information = ''): string =>
  `  - { model_name: m, litellm_params: { model: q, api_base: http://e/v1${more} }${information} }\n`;
const list = `model_list:\n${entry()}`;

function warningsOf(text: string): readonly string[] {
  const { errors, warnings } = checkText(text);
  assert.deepEqual(errors, []);
  return warnings.map(issueText);
}

describe('a setting that gw ignores is named with its line', () => {
  const inBlocks: readonly (readonly [block: string, setting: string, remedy: RegExp])[] = [
    ['litellm_settings', 'banned_keywords_list: [a]', /does not filter the content/],
    ['litellm_settings', 'max_parallel_requests: 100', /admission_max_concurrent/],
    ['litellm_settings', 'forward_client_headers_to_llm_api: true', /forwards .* headers/],
    ['litellm_settings', 'ssl_verify: false', /--ca-bundle/],
    ['litellm_settings', 'cooldown_time: 30', /unhealthy_after/],
    ['litellm_settings', 'disable_end_user_cost_tracking: true', /usage of keys/],
    ['litellm_settings', 'stream: true', /clients send it/],
    ['litellm_settings', 'batch_size: 3', /each request on its own/],
    ['litellm_settings', 'background_workers: 3', /--health-interval/],
    ['litellm_settings', 'redis_password: x', /does not use Redis/],
    ['general_settings', 'user_api_key_cache_ttl: 60', /in memory/],
    ['general_settings', 'block_robots: true', /robots\.txt/],
    ['general_settings', 'require_auth_for_metrics_endpoint: true', /restrict \/metrics/],
    ['general_settings', 'something_new: 1', /gw has no such setting/],
    ['router_settings', 'num_retries: 0', /--max-retries/],
  ];
  for (const [block, setting, remedy] of inBlocks) {
    it(`${block}.${setting}`, () => {
      const [warning = '', ...others] = warningsOf(`${list}${block}:\n  ${setting}\n`);
      const name = setting.split(':', 1)[0] ?? '';
      assert.ok(warning.startsWith(`${block}.${name}: is ignored: `), warning);
      assert.match(warning, remedy);
      assert.match(warning, /\(line 4\)$/);
      assert.deepEqual(others, []);
    });
  }

  it('a price that usage rows cannot count, with the reason', () => {
    const [warning = ''] = warningsOf(`model_list:\n${entry(', input_cost_per_second: 0.1')}`);
    assert.match(warning, /input_cost_per_second: is ignored: models of this mode are not billed/);
    const seconds = entry(
      ', input_cost_per_second: 0.1',
      ', model_info: { mode: audio_transcription }',
    );
    assert.deepEqual(warningsOf(`model_list:\n${seconds}`), []);
  });

  it('in an entry', () => {
    const information =
      ', model_info: { id: a, mode: chat, base_model: b, supported_environments: [c], supports_web_search: true }';
    const warnings = warningsOf(
      `model_list:\n${entry(', rpm: 6, ssl_verify: false', information)}`,
    );
    assert.deepEqual(
      warnings.map((text) => /\.(\w+): is ignored: .*\(line 2\)$/.exec(text)?.[1]),
      'rpm ssl_verify id base_model supported_environments supports_web_search'.split(' '),
    );
  });

  it('once, when many entries have it', () => {
    const [warning, ...others] = warningsOf(`model_list:\n${entry(', rpm: 6').repeat(3)}`);
    assert.match(warning ?? '', /^model_list\[0\].*rpm: .*; also in 2 other entries \(line 2\)$/);
    assert.deepEqual(others, []);
  });

  it('as a block that gw does not have, unless it holds what other blocks refer to', () => {
    assert.deepEqual(
      warningsOf(`${list}key_management_settings: { a: 1 }\nx-shared: { a: 1 }\n.b: { a: 1 }\n`),
      ['key_management_settings: is ignored: write secrets as os.environ/NAME (line 3)'],
    );
  });

  it('and not when it is switched off or empty', () => {
    const off = 'drop_params: false, callbacks: [], cache_params: {}, num_retries: null';
    assert.deepEqual(warningsOf(`${list}litellm_settings: { ${off}, ssl_verify: true }\n`), []);
  });
});
