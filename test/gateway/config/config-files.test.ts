// Tests configuration files that include others: the merged result, and the errors.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';

import { readConfigFiles } from '../../../src/gateway/config/config-files.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import { asTheFileSays, checkConfigFile } from '../../../src/snapshot/file-mode.ts';
import type { FileCheck } from '../../../src/snapshot/file-mode.ts';
import { issueText } from '../../../src/snapshot/file/source.ts';

type Texts = Readonly<Record<string, string>>;

/** Places in messages are relative to the directory of the files. */
async function checkFiles(t: TestContext, texts: Texts, open = false) {
  const directory = await mkdtemp(join(tmpdir(), 'gw-include-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text.replaceAll('DIRECTORY', directory));
  }
  const files = await readConfigFiles(join(directory, 'gw.yaml'), {});
  assert.ok(!isRefusal(files), JSON.stringify(files));
  const check: FileCheck = checkConfigFile(files.source, {}, { ...asTheFileSays, open });
  const relative = (text: string): string => text.replaceAll(`${directory}/`, '');
  return {
    names: check.file?.snapshot.config.models.map(({ name }) => name) ?? [],
    settings: check.file?.snapshot.config,
    errors: check.errors.map(issueText).map(relative),
    warnings: check.warnings.map(issueText).map(relative),
    looked: [...files.texts.keys()].map(relative),
  };
}

const model = (name: string, more = ''): string =>
  `  - { model_name: ${name}, litellm_params: { model: q, api_base: http://e/v1${more} } }\n`;
const list = (...names: readonly string[]): string =>
  `model_list:\n${names.map((name) => model(name)).join('')}`;

describe('the files that a configuration file includes', () => {
  it('are read in order, those that they include themselves last, and lists are joined', async (t) => {
    const { names, errors, warnings } = await checkFiles(t, {
      'gw.yaml': `include: [models/one.yaml, models/two.yaml]\n${list('main')}`,
      'models/one.yaml': `include: [deep/three.yaml]\n${list('one')}`,
      'models/two.yaml': list('two-a', 'two-b'),
      'models/deep/three.yaml': list('three'),
    });
    assert.deepEqual(errors, []);
    assert.deepEqual(warnings, []);
    assert.deepEqual(names, ['main', 'one', 'two-a', 'two-b', 'three']);
  });

  it('may be one path, absolute, in the directory of the main file, and read once', async (t) => {
    const { names, errors } = await checkFiles(t, {
      'gw.yaml': 'include: DIRECTORY/models/one.yaml\n',
      'models/one.yaml': `include: [two.yaml, ./two.yaml]\n${list('one')}`,
      'two.yaml': list('two'),
    });
    assert.deepEqual(errors, []);
    assert.deepEqual(names, ['one', 'two']);
  });

  it('are named with the line of what is wrong or ignored in them', async (t) => {
    const { errors, warnings } = await checkFiles(t, {
      'gw.yaml': `include: [one.yaml]\n${list('main')}`,
      'one.yaml': `model_list:\n${model('good', ', rpm: 6')}${model("'*'")}`,
    });
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /^model_list\[1\]\.model_name: .* \(one\.yaml line 3\)$/);
    assert.match(
      warnings.join(),
      /^model_list\[0\]\.litellm_params\.rpm: .* \(one\.yaml line 2\)$/,
    );
  });

  it('replace a block of the main file, and each setting that is lost is a warning', async (t) => {
    const { settings, warnings } = await checkFiles(t, {
      'gw.yaml': `include: [one.yaml]\n${list('a', 'b')}router_settings:\n  fallbacks: [{ a: [b] }]\n`,
      'one.yaml': 'router_settings:\n  model_group_alias: { c: a }\n',
    });
    assert.deepEqual(
      settings?.frontend_models.map(({ name }) => name),
      ['c'],
    );
    assert.deepEqual(warnings, [
      'router_settings.fallbacks: is lost: router_settings of one.yaml line 1 replaces this block (gw.yaml line 6)',
    ]);
  });

  it('do not open the gateway by replacing the block that has its key', async (t) => {
    const texts = {
      'gw.yaml': `include: [one.yaml]\n${list('a')}general_settings: { master_key: sk-1 }\n`,
      'one.yaml': 'general_settings: { store_model_in_db: true }\n',
    };
    const { errors } = await checkFiles(t, texts);
    assert.match(
      errors.join('\n'),
      /^general_settings\.master_key: is lost: .*\(gw\.yaml line 4\)$/,
    );
    assert.equal((await checkFiles(t, texts, true)).settings?.settings.open, true);
  });

  it('must not have a block of gw that another file has', async (t) => {
    const { errors } = await checkFiles(t, {
      'gw.yaml': `include: [one.yaml]\n${list('a')}auth: { keys: [] }\n`,
      'one.yaml': 'auth: { keys: [{ key: k }] }\n',
    });
    assert.deepEqual(errors, ['auth: is also in gw.yaml; write it in one file (one.yaml line 1)']);
  });

  it('must not include each other', async (t) => {
    const { errors } = await checkFiles(t, {
      'gw.yaml': `${list('a')}include:\n  - one.yaml\n`,
      'one.yaml': 'include: [two.yaml]\n',
      'two.yaml': 'include:\n  - gw.yaml\n',
    });
    assert.deepEqual(errors, [
      'include[0]: these files include each other: gw.yaml > one.yaml > two.yaml > gw.yaml (two.yaml line 2)',
    ]);
  });

  it('must be there, be YAML and be named by texts; all errors are reported at once', async (t) => {
    const { errors, looked } = await checkFiles(t, {
      'gw.yaml': `include: [gone.yaml, broken.yaml, odd.yaml]\n${list('a')}`,
      'broken.yaml': 'a: [\n',
      'odd.yaml': 'include: { path: x }\n',
    });
    assert.equal(errors.length, 3);
    const [gone = '', broken = '', odd = ''] = errors;
    assert.equal(gone, 'include[0]: gone.yaml cannot be read (ENOENT) (gw.yaml line 1)');
    assert.match(broken, /^file: not valid YAML: .* \(broken\.yaml line \d\)$/);
    assert.match(odd, /^include: must be a list of paths .* \(odd\.yaml line 1\)$/);
    assert.ok(looked.includes('gone.yaml'), 'so that it is noticed when it comes');
  });

  it('are bounded in depth and in number', async (t) => {
    const chain = Array.from({ length: 12 }, (_, at) => [
      at === 0 ? 'gw.yaml' : `${at}.yaml`,
      `include: [${at + 1}.yaml]\n`,
    ]);
    const deep = await checkFiles(t, { ...Object.fromEntries(chain), '12.yaml': list('a') });
    assert.match(
      deep.errors.join(),
      /^include\[0\]: includes are nested deeper than 10 files \(10\.yaml/,
    );
    const paths = Array.from({ length: 120 }, (_, at) => `${at}.yaml`);
    const many = await checkFiles(t, {
      ...Object.fromEntries(paths.map((path, at) => [path, list(`m${at}`)])),
      'gw.yaml': `include: [${paths.join(', ')}]\n`,
    });
    assert.match(
      many.errors.join('\n'),
      /^include\[99\]: the configuration has more than 100 files \(gw\.yaml/,
    );
  });

  it('have one bound of their sizes together', async (t) => {
    const comment = `#${'x'.repeat(9 * 1024 * 1024)}\n`;
    const { errors } = await checkFiles(t, {
      'gw.yaml': `include: [one.yaml]\n${comment}${list('a')}`,
      'one.yaml': `${comment}${list('b')}`,
    });
    assert.match(
      errors.join(),
      /^include\[0\]: the configuration files have more than 16777216 bytes in total/,
    );
  });
});
