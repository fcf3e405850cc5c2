// Tests the core without its extensions: after deleting all extension folders and the lines that
// name them, the core compiles, starts, serves and passes its tests. After deleting one, the others
// miss no file.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

import { z } from 'zod';

import { startDemoProvider } from '../../src/cli/dev/demo-provider.ts';
import { loginToAdmin } from '../../src/cli/control-plane/admin-client.ts';
import { encryptionKey, login, prepareControl } from '../harness/program/control-program.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';
import { startProgram } from '../harness/program/program.ts';
import { programFolders, sourceCopy } from '../harness/program/source-copy.ts';
import { importedFile, importsOf } from '../tidy/tree.ts';

/** The compiler may share the machine with other work. */
const limitMs = 300_000;

const run = promisify(execFile);
const tree = path.join(import.meta.dirname, '../../extensions');

const foldersIn = (place: string): readonly string[] =>
  readdirSync(place, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );

/**
 * Deletes the folder, the lines that name it, the extensions that depend on it and the tests that
 * use it.
 */
function deleteExtension(copy: string, name: string): void {
  const place = path.join(copy, 'extensions');
  if (!existsSync(path.join(place, name))) return;
  rmSync(path.join(place, name), { recursive: true });
  for (const user of sourcesIn(place)) {
    const file = path.join(place, user);
    const uses = new RegExp(`'[./]+/${name}/`);
    if (!user.includes(path.sep) || !existsSync(file)) continue;
    if (!uses.test(readFileSync(file, 'utf8'))) continue;
    if (user.endsWith('.test.ts')) rmSync(file);
    else deleteExtension(copy, user.split(path.sep)[0] ?? '');
  }
  for (const list of readdirSync(place).filter((file) => file.endsWith('.ts'))) {
    const file = path.join(place, list);
    const line = new RegExp(`^export \\{[^}]*\\} from '\\./${name}/[^']*';\n`, 'gm');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(line, ''));
  }
}

const sourcesIn = (place: string): readonly string[] =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

async function bareCopy(t: TestContext, folders: readonly string[]): Promise<string> {
  const copy = await sourceCopy(t, folders);
  for (const name of foldersIn(tree)) deleteExtension(copy, name);
  return copy;
}

const wholeTree = [...programFolders, 'ui', 'test', 'bench', 'scripts', 'tsconfig.json'];
const compiler = path.join(import.meta.dirname, '../../node_modules/.bin/tsc');

async function assertCompiles(copy: string, project: string): Promise<void> {
  const { stdout } = await run(compiler, ['-p', project, '--noEmit'], { cwd: copy }).catch(
    (error: unknown) => ({ stdout: z.object({ stdout: z.string() }).parse(error).stdout }),
  );
  assert.equal(stdout, '', project);
}

test(
  'the core, its UI and their tests compile without any extension',
  {
    timeout: limitMs,
  },
  async (t) => {
    const copy = await bareCopy(t, wholeTree);
    for (const project of ['tsconfig.json', 'ui']) await assertCompiles(copy, project);
  },
);

// An earlier test compiles the core. The others can only miss files of the deleted one.
for (const name of foldersIn(tree)) {
  test(`the other extensions import nothing of ${name}`, async (t) => {
    const copy = await sourceCopy(t, ['extensions']);
    deleteExtension(copy, name);
    const files = sourcesIn(path.join(copy, 'extensions')).map((file) =>
      path.posix.join('extensions', file),
    );
    const missing = files.flatMap((file) =>
      importsOf({ text: readFileSync(path.join(copy, file), 'utf8') }).flatMap((specifier) => {
        const target = importedFile(file, specifier);
        if (target?.startsWith('extensions/') !== true) return [];
        return existsSync(path.join(copy, target)) ? [] : [`${file} imports ${target}`];
      }),
    );
    assert.deepEqual(missing, []);
  });
}

test('role all starts and serves a chat without any extension', { timeout: limitMs }, async (t) => {
  const copy = await bareCopy(t, programFolders);
  const { url } = await testDatabase(t);
  await prepareControl(url);
  const demo = await startDemoProvider({ port: 0 });
  t.after(demo.close);
  const program = startProgram(t, {
    file: path.join(copy, 'src/main.ts'),
    args: ['--role', 'all', '--port', '0', '--admin-port', '0'],
    env: { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: encryptionKey },
    // The copy has no compile cache yet.
    limitMs: 60_000,
  });
  const { admin } = z
    .object({ admin: z.string() })
    .parse(await program.logged('control plane started'));
  const gateway = z.object({ url: z.string() }).parse(await program.logged('gateway started'));
  const { send } = await loginToAdmin(admin, login);
  const post = <Answer extends z.ZodType>(place: string, body: unknown, answer: Answer) =>
    send({ method: 'POST', path: place, body, answer });
  const made = z.looseObject({ id: z.int() });
  await post('/admin/providers', { name: 'demo', api_base: demo.apiBase }, made);
  await post('/admin/provider-models', { name: 'demo' }, made);
  await post('/admin/provider-models/1/backends', { provider_id: 1 }, z.unknown());
  const { key } = await post(
    '/admin/keys',
    { name: 'a key', principal_id: 1 },
    z.object({ key: z.string() }),
  );
  const chat = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }),
  });
  assert.equal(chat.status, 200);
  await chat.arrayBuffer();
  const preview = await post(
    '/admin/snapshots/1/restore',
    { dry_run: true },
    z.looseObject({ what_if: z.null() }),
  );
  assert.equal(preview.what_if, null);
});

test(
  'the tests that walk every route and command pass without any extension',
  { timeout: limitMs },
  async (t) => {
    const copy = await bareCopy(t, [...programFolders, 'ui', 'test']);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const files = [
      'test/admin/openapi/openapi.test.ts',
      'test/cli/main.test.ts',
      'test/ui/lib/page/palette.test.ts',
    ];
    const { stdout } = await run(process.execPath, ['--test', '--test-isolation=none', ...files], {
      cwd: copy,
      env,
    });
    assert.match(stdout, /fail 0/);
  },
);
