// Tests that the single executable runs with nothing else on the machine.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { z } from 'zod';

import { buildExecutable } from '../../scripts/build-executable.ts';
import { productionPackages } from '../../scripts/executable/archive.ts';
import { tryDevProgram } from '../harness/program/dev-program.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const suiteMs = 300_000;
const hook = { timeout: suiteMs };

const versionLine = z.object({
  version: z.string(),
  commit: z.string().nullable(),
  runtime: z.object({ node: z.string(), single_executable: z.boolean() }),
  packages: z.array(z.object({ name: z.string(), version: z.string(), license: z.string() })),
});
describe('the single executable', { timeout: suiteMs }, () => {
  let place = '';
  let program = '';
  let homes = 0;

  before(async () => {
    place = await mkdtemp(path.join(os.tmpdir(), 'gw-executable-test-'));
    program = path.join(place, 'gw');
    await buildExecutable({
      platform: z.enum(['linux-x64', 'linux-arm64']).parse(`${process.platform}-${process.arch}`),
      out: program,
      level: 1,
    });
  }, hook);

  after(() => rm(place, { recursive: true, force: true }));

  /** An empty home, and a PATH with no program. */
  async function emptyMachine(): Promise<Readonly<{ HOME: string; PATH: string }>> {
    const home = path.join(place, `home-${++homes}`);
    await mkdir(home);
    return { HOME: home, PATH: '/nonexistent' };
  }

  it('names its commit, its runtime and the licence of each package inside', async () => {
    const { stdout } = await run(program, ['version', '--json'], { env: await emptyMachine() });
    const { packages, runtime } = versionLine.parse(JSON.parse(stdout));
    assert.deepEqual(runtime, { node: process.versions.node, single_executable: true });
    const expected = productionPackages(root, { os: process.platform, cpu: process.arch });
    assert.deepEqual(
      packages.map(({ version, license }) => [version, license]),
      expected.map(({ version, license }) => [version, license]),
    );
    assert.ok(packages.some(({ name }) => name === 'fastify'));
    assert.deepEqual(
      packages.filter(({ license }) => license === 'unknown'),
      [],
      'each package states its licence',
    );
  });

  it('serves a chat and its UI by gw dev in an empty folder', async () => {
    const env = await emptyMachine();
    await tryDevProgram(program, { cwd: env.HOME, env });
  });

  it('unpacks once when several first starts run at the same time', async () => {
    const env = await emptyMachine();
    const starts = [1, 2, 3].map(() => run(program, ['version'], { env }));
    const outputs = (await Promise.all(starts)).map(({ stdout }) => stdout);
    assert.equal(new Set(outputs).size, 1);
    assert.equal((await readdir(path.join(env.HOME, '.cache/gw'))).length, 1);
  });

  it('unpacks again what a program that cleans up has deleted or cut', async () => {
    const env = await emptyMachine();
    await run(program, ['version'], { env });
    const cache = path.join(env.HOME, '.cache/gw');
    const [name = ''] = await readdir(cache);
    const kept = path.join(cache, name, 'dist/src/cli/main.js');
    const { ino } = await stat(kept);
    for (const damaged of ['dist/src/main.js', 'files.json']) {
      await rm(path.join(cache, name, damaged));
      await truncate(path.join(cache, name, 'run.cjs'), 1);
      const { stdout } = await run(program, ['version'], { env });
      assert.match(stdout, /^\d/);
    }
    assert.equal((await stat(kept)).ino, ino, 'files that were intact are left');
    assert.deepEqual(await readdir(cache), [name]);
  });

  it('leaves nothing in a home that belongs to another user', async () => {
    const env = await emptyMachine();
    const temporary = path.join(place, 'of-another');
    await mkdir(temporary);
    const home = process.getuid?.() === 0 ? env.HOME : '/';
    if (home === env.HOME) await chown(home, 65_534, 65_534);
    const before = await readdir(home);
    await run(program, ['version'], { env: { ...env, HOME: home, TMPDIR: temporary } });
    assert.deepEqual(await readdir(home), before);
    assert.deepEqual(await readdir(temporary), [`gw-${process.getuid?.()}`]);
  });

  it('unpacks into GW_UNPACK_DIR, and into a folder of its own if the home cannot be written', async () => {
    const env = await emptyMachine();
    const chosen = path.join(env.HOME, 'chosen');
    await run(program, ['version'], { env: { ...env, GW_UNPACK_DIR: chosen } });
    assert.equal((await readdir(chosen)).length, 1);

    const temporary = path.join(place, 'temporary');
    await mkdir(temporary);
    const homeless = { ...env, HOME: '/dev/null', TMPDIR: temporary };
    await run(program, ['version'], { env: homeless });
    assert.deepEqual(await readdir(temporary), [`gw-${process.getuid?.()}`]);
  });

  it('refuses to run from a folder that others can write', async () => {
    const env = await emptyMachine();
    const open = path.join(env.HOME, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    await assert.rejects(run(program, ['version'], { env: { ...env, GW_UNPACK_DIR: open } }), {
      code: 1,
      stderr: `gw: ${open} belongs to another user or can be written by others. Remove it, or set GW_UNPACK_DIR to a folder of your own.\n`,
    });
  });
});
