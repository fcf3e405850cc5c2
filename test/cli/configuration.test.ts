// Tests declarative files on the command line: read from a folder, rejected with file and line, and
// drafted if an approval is required.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import { adminPassword } from '../harness/admin/admin.ts';
import { gw } from '../harness/program/command-line.ts';
import { fourEyes } from '../harness/admin/four-eyes.ts';

async function folder(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gw-declared-'));
  t.after(() => rm(directory, { recursive: true }));
  await mkdir(join(directory, 'more'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

it('reads the files of a folder as one, and reports errors with file and line', async (t) => {
  const { url } = await fourEyes(t);
  const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword, SECRET: 'a-secret' };
  const plan = (directory: string) => gw(['plan', '-f', directory, '--login', 'ada'], { env });
  const good = await folder(t, {
    'providers.yaml':
      'providers:\n  - { name: p, api_base: http://p, upstream_api_key: os.environ/SECRET }\n',
    'more/models.json': '{"models": [{"name": "m", "provider": "p"}]}',
    'more/.hidden.yaml': 'nonsense: true\n',
    'notes.md': 'no file of gw',
  });
  const planned = await plan(good);
  assert.deepEqual([planned.code, planned.stderr], [10, '']);
  assert.match(planned.stdout, /^\+ providers "p"\n/);
  assert.match(planned.stdout, /\n\+ models "m"\n {4}provider: "p"\n {4}upstream_model: "m"\n/);
  assert.match(planned.stdout, /\nPlan: 2 to create, 0 to change, 0 to delete\.\n/);
  assert.doesNotMatch(planned.stdout, /a-secret/);

  const bad = await folder(t, {
    'a.yaml': [
      'providers:',
      '  - name: p',
      '    api_base: http://p',
      '    upstream_api_key: in the clear',
      '    colour: red',
      'models:',
      '  - { name: m, description: os.environ/UNSET }',
      'settings: {}',
    ].join('\n'),
    'b.yaml': 'settings: {}\n',
  });
  const twice = await plan(bad);
  assert.deepEqual([twice.code, twice.stdout], [2, '']);
  assert.match(twice.stderr, /settings: is also in \S*a\.yaml; .*b\.yaml line 1/);
  await rm(join(bad, 'b.yaml'));
  const { stderr } = await plan(bad);
  for (const message of [
    /providers\[0\]\.upstream_api_key: must be os\.environ\/NAME or held.*a\.yaml line 4/,
    /providers\[0\].*colour.*a\.yaml line/,
    /models\[0\]\.description: environment variable UNSET is not set.*a\.yaml line 7/,
  ]) {
    assert.match(stderr, message);
  }
  const unknown = await folder(t, { 'a.yaml': '\nmodels:\n  - { name: m, provider: gone }\n' });
  assert.match(
    (await plan(unknown)).stderr,
    /^gw: models\[0\]\.provider: model m: provider gone does not exist \(\S*a\.yaml line 3\)\n$/,
  );
  assert.match((await plan(join(bad, 'more'))).stderr, /has no \.yaml, \.yml or \.json file/);
});

it('drafts an apply that needs an approval, once per plan and reason', async (t) => {
  const { url, boss, plane } = await fourEyes(t);
  assert.equal((await boss('PUT', '/admin/change-policy', { kinds: ['models'] })).status, 200);
  const directory = await folder(t, { 'a.yaml': 'models:\n  - name: b\n' });
  const env = { GW_CONTROL_URL: url, GW_PASSWORD: adminPassword };
  const apply = (...more: readonly string[]) =>
    gw(['apply', '-f', directory, '--login', 'ada', ...more], { env });
  const first = await apply('--reason', 'commit 1');
  assert.deepEqual([first.code, first.stderr], [4, '']);
  assert.match(first.stdout, /change request 1 was drafted, nothing is changed yet\n$/);
  assert.deepEqual(await apply('--reason', 'commit 1'), first);
  assert.match((await apply('--reason', 'commit 2')).stdout, /change request 2 was drafted/);
  await plane.refresh();
  assert.equal(plane.store.state().model.byId.size, 1);
  const broken = await apply('--reason', 'commit 3', '--break-glass', 'an outage', '--json');
  assert.equal(broken.code, 0);
  assert.equal(JSON.parse(broken.stdout).applied, true);
});
