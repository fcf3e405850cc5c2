// Tests entries that gw cannot serve: errors, or warnings if the operator chose to leave them out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { asTheFileSays } from '../../../src/snapshot/file-mode.ts';
import { issueLines, issueText } from '../../../src/snapshot/file/source.ts';
import { checkText } from '../../harness/gateway/config-file.ts';

const text = `
model_list:
  - { model_name: good, litellm_params: { model: openai/q, api_base: http://e/v1 } }
  - { model_name: cloud, litellm_params: { model: azure/q, api_base: os.environ/AZURE, rpm: 6 } }
  - { model_name: 'all/*', litellm_params: { model: 'openai/*' } }
  - { model_name: bare, litellm_params: { model: gemini-1.5-flash } }
  - { model_name: own, litellm_params: { model: my-agent/q } }
  - { model_name: unknown, litellm_params: { model: acme/q } }
  - { model_name: good, litellm_params: { model: bedrock/q } }
router_settings:
  fallbacks: [{ good: [cloud] }, { cloud: [good] }]
litellm_settings:
  custom_provider_map: [{ provider: my-agent, custom_handler: handler.agent }]
`;

describe('entries that gw cannot serve', () => {
  it('are errors with their line and remedy, and cause no other message', () => {
    const errors = checkText(text).errors.map(issueText);
    assert.deepEqual(
      errors.map((error) => /\(line (\d+)\)$/.exec(error)?.[1]),
      ['4', '5', '6', '7', '8', '9'],
    );
    for (const error of errors) assert.match(error, /; --skip-unsupported leaves this entry out/);
    assert.match(errors.join('\n'), /write model: gemini\/gemini-1\.5-flash/);
    assert.match(errors.join('\n'), /my-agent\/ is a provider of custom_provider_map/);
  });

  it('are left out with a warning each when they may be, and so is what refers to them', () => {
    const { file, warnings } = checkText(text, {}, { ...asTheFileSays, skipUnsupported: true });
    assert.deepEqual(
      file?.snapshot.config.models.map(({ backends }) => backends.length),
      [1],
    );
    const skipped = warnings.map(issueText).filter((warning) => warning.includes('skipped'));
    assert.deepEqual(
      skipped.map((warning) => /^(\S+): .*\((line \d+)\)$/.exec(warning)?.slice(1)),
      [
        ['model_list[1].litellm_params.model', 'line 4'],
        ['model_list[2].model_name', 'line 5'],
        ['model_list[3].litellm_params.api_base', 'line 6'],
        ['model_list[4].litellm_params.model', 'line 7'],
        ['model_list[5].litellm_params.api_base', 'line 8'],
        ['model_list[6].litellm_params.model', 'line 9'],
        ['router_settings.fallbacks[0].good[0]', 'line 11'],
        ['router_settings.fallbacks[1].cloud', 'line 11'],
      ],
    );
    assert.ok(!warnings.some(({ path }) => path.endsWith('rpm')), 'a skipped entry asks nothing');
  });

  it('do not excuse an entry that is wrong', () => {
    const wrong = text.replace('http://e/v1', 'ftp://e');
    const { errors } = checkText(wrong, {}, { ...asTheFileSays, skipUnsupported: true });
    assert.deepEqual(errors.map(issueText), [
      'model_list[0].litellm_params.api_base: is not an http or https address (line 3)',
    ]);
  });

  it('are not all of a file', () => {
    const only = "model_list: [{ model_name: '*', litellm_params: { model: '*' } }]";
    const { errors } = checkText(only, {}, { ...asTheFileSays, skipUnsupported: true });
    assert.match(errors.map(issueText).join(), /^model_list: names no model that can be served/);
  });
});

describe('the errors of a file', () => {
  it('are found at once, in every part of it', () => {
    const wrong = `
model_list:
  - { model_name: a, litellm_params: { model: q, api_base: 7 } }
  - { model_name: b, litellm_params: { model: azure/q } }
  - { model_name: c, litellm_params: { model: q, api_base: ftp://e } }
auth: { keys: [{ key: k, models: 7 }] }
`;
    const lines = checkText(wrong).errors.map(({ line }) => line);
    assert.deepEqual(new Set(lines), new Set([3, 4, 5, 6]));
    assert.equal(lines.length, 4);
  });

  it('are shown up to a bound, with how many more there are', () => {
    const entries = "  - { model_name: '*', litellm_params: { model: x } }\n".repeat(60);
    const lines = issueLines(checkText(`model_list:\n${entries}`).errors);
    assert.equal(lines.length, 51);
    assert.equal(lines.at(-1), 'and 10 more; gw config check shows all');
  });
});
