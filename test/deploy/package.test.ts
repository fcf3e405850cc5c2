// Tests that the package of `npm pack` runs where it is installed, on the system's Node and on the
// pinned one, and that the image can build the UI.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { z } from 'zod';

import { tryDevProgram } from '../harness/program/dev-program.ts';

const root = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

const read = (name: string): Promise<string> => readFile(path.join(root, name), 'utf8');

const installMs = 180_000;
const suiteMs = 300_000;
/** Without a limit of its own, a hook gets the short default limit. */
const hook = { timeout: suiteMs };

/** PATH without the Node runtime that npm scripts prepend, as a user has it. */
const machinePath = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(path.delimiter);

describe('the npm package', { timeout: suiteMs }, () => {
  let place = '';
  let folder = '';
  let env: NodeJS.ProcessEnv = process.env;

  before(async () => {
    place = await mkdtemp(path.join(os.tmpdir(), 'gw-package-'));
    folder = path.join(place, 'empty');
    const home = path.join(place, 'home');
    await Promise.all([folder, home].map((name) => mkdir(name)));
    const packing = ['pack', '--json', '--pack-destination', place];
    const { stdout } = await run('npm', packing, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
    const [packed] = z.array(z.object({ filename: z.string() })).parse(JSON.parse(stdout));
    assert.ok(packed);
    env = { ...process.env, PATH: machinePath, HOME: home };
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', [...install, path.join(place, packed.filename)], {
      cwd: folder,
      env,
      timeout: installMs,
    });
  }, hook);

  after(() => rm(place, { recursive: true, force: true }));

  const installed = (name: string): string => path.join(folder, 'node_modules/gw', name);

  it('holds the compiled program, its UI, the documentation and the offline verifier', async () => {
    for (const name of [
      'dist/src/main.js',
      'dist/ui/dist/index.html',
      'dist/migrations/0001-event-log.sql',
      'dist/src/classifier/english.words',
      'deploy/verify.mjs',
      'docs/README.md',
      'bench/RESULTS.md',
      'LICENSE',
    ]) {
      assert.ok((await readFile(installed(name))).length > 0, name);
    }
    const names = await readdir(installed('.'), { recursive: true });
    assert.deepEqual(
      names.filter((name) => name.endsWith('.ts')),
      [],
      'TypeScript cannot run from node_modules',
    );
  });

  for (const [runtime, command] of [
    ['the Node on the PATH', ['npx', 'gw']],
    ['the pinned Node', [process.execPath, 'node_modules/gw/bin/gw.mjs']],
  ] as const) {
    it(`prints its help on ${runtime}`, async () => {
      const [program, ...rest] = command;
      const { stdout } = await run(program, [...rest, '--help'], { cwd: folder, env });
      assert.match(stdout, /^gw \d+\.\d+\.\d+, an LLM inference gateway/u);
    });
  }

  it('serves a chat and its UI by gw dev, and ends when it is interrupted', async () => {
    await tryDevProgram(path.join(folder, 'node_modules/.bin/gw'), { cwd: folder, env });
  });
});

it('gives the build of the image everything that the UI is built from', async () => {
  const ignored = (await read('.dockerignore')).split('\n');
  const used = [...(await read('ui/vite.config.ts')).matchAll(/'\.\.\/(deploy\/\w+)\//g)].map(
    ([, folder]) => folder,
  );
  assert.deepEqual(used, ['deploy/dashboards']);
  for (const folder of used) assert.ok(ignored.includes(`!${folder}`), folder);
  assert.ok(!ignored.includes('deploy') && !ignored.includes('ui'));
});
