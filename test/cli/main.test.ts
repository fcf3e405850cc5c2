// Tests the command line of the program: help, usage errors, exit codes, and setting a password.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gw, gwProcess } from '../harness/program/command-line.ts';
import { testKey, testPlane } from '../harness/control/plane.ts';
import { testDatabase } from '../harness/postgres/postgres.ts';

test('--help lists the commands on standard output, without colours in a pipe', async () => {
  const { code, stdout, stderr } = await gwProcess(['--help']);
  assert.equal(code, 0);
  assert.match(stdout, /serve +serve as a proxy/);
  assert.equal(stdout.includes('\u001b'), false);
  assert.equal(stderr, '');
});

test('the help of a command names the variable and default of each option', async () => {
  const { stdout } = await gw(['serve', '--help']);
  assert.match(stdout, /-p,--port <value> .*\(GW_PORT; default 4000\)/);
  assert.match(stdout, /--proxy-token <value> .*\(GW_PROXY_TOKEN, GW_PROXY_TOKEN_FILE\)/);
  assert.doesNotMatch(stdout, /#0/);
});

test('--version prints the version alone', async () => {
  const { code, stdout } = await gw(['--version']);
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('an unknown option is a usage error that suggests the nearest', async () => {
  const { code, stderr } = await gwProcess(['--rol', 'all']);
  assert.equal(code, 2);
  assert.match(stderr, /unsupported option name \("--rol"\); did you mean --role\?/);
});

test('an unknown command is a usage error that suggests the nearest', async () => {
  const { code, stderr } = await gw(['set-pasword']);
  assert.equal(code, 2);
  assert.match(stderr, /did you mean set-password\?/);
});

test('suggests the command for an incomplete or misspelled one', async () => {
  for (const words of [['log'], ['log', 'verfy'], ['lgo', 'verify']]) {
    const { code, stderr } = await gw(words);
    assert.equal(code, 2);
    assert.match(stderr.split('\n', 1)[0] ?? '', /did you mean log (?:export|verify)\?\n?$/);
  }
});

test('names missing and unexpected arguments, and refers to the help', async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['keys'], 'gw: there is no command "keys"\ngw --help lists the commands\n'],
    [
      ['--shutdown-grace', '-1'],
      'gw: --shutdown-grace cannot be negative, was -1\ngw --help lists the commands\n',
    ],
    [['--config'], 'gw: --config needs a value\ngw --help lists the commands\n'],
    [['vault', 'export'], 'gw: vault export needs --output\ngw vault export --help says more\n'],
    [
      ['log', 'replay'],
      'gw: not enough positional arguments; usage: gw log replay <file>\n' +
        'gw log replay --help says more\n',
    ],
    [
      ['healthcheck', '--json'],
      'gw: unsupported option name ("--json")\ngw healthcheck --help says more\n',
    ],
  ];
  const answers = await Promise.all(cases.map(([argv]) => gw(argv)));
  for (const [index, { code, stderr }] of answers.entries()) {
    assert.equal(stderr, cases[index]?.[1]);
    assert.equal(code, 2);
  }
});

test('log verify reports a database without a log', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url.replace(/\/[^/?]+(\?|$)/, '/postgres$1') };
  const { code, stderr } = await gw(['log', 'verify'], { env });
  assert.equal(code, 1);
  assert.equal(
    stderr,
    'gw: this database holds no event log, because gw has not run on it yet\n' +
      '  because: relation "es.log_head" does not exist\n',
  );
});

test('lists everything that a role lacks and does not start', async () => {
  const { code, stderr } = await gwProcess(['--role', 'all']);
  assert.equal(code, 2);
  assert.match(stderr, /--database-url/);
  assert.match(stderr, /openssl rand -hex 32/);
});

const key = 'ab'.repeat(32);
const input = 'correct horse battery\n';

test('set-password creates an administrator once, then only sets the password', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  const parameters = ['set-password', '--name', 'ada', '--password', '-', '--json'];
  const first = await gw(parameters, { env, input: 'correct horse battery\n' });
  assert.equal(first.stderr, '');
  const unmended = { id: 2, password_set: true, admin_mended: false };
  assert.deepEqual(JSON.parse(first.stdout), { ...unmended, created: true, role_granted: 'admin' });
  const second = await gw(parameters, { env, input: 'battery staple horse\n' });
  assert.deepEqual(JSON.parse(second.stdout), { ...unmended, created: false, role_granted: null });
});

test('set-password --if-absent sets the first password only', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  const parameters = ['set-password', '--name', 'ada', '--password', '-', '--if-absent'];
  const first = await gw(parameters, { env, input: 'correct horse battery\n' });
  assert.equal(first.stdout, 'ada: password set, principal created, role admin granted\n');
  const events = async (): Promise<string> =>
    (await gw(['log', 'export'], { env: { GW_DATABASE_URL: url } })).stdout;
  const before = await events();
  const second = await gw(parameters, { env, input: 'battery staple horse\n' });
  assert.equal(second.stdout, 'ada: nothing changed, because it has a password\n');
  assert.equal(second.code, 0);
  assert.equal(await events(), before);
});

test('set-password names the role that it granted if admin lacks permissions', async (t) => {
  const { run, url } = await testPlane(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: Buffer.from(testKey).toString('hex') };
  const rename = {
    type: 'UpdateRole',
    role: 'admin',
    name: 'root',
    description: undefined,
  } as const;
  await run({ command: rename });
  const granted = await gw(['set-password', '--name', 'ada', '--password', '-'], { env, input });
  assert.equal(granted.stdout, 'ada: password set, principal created, role root granted\n');
  for (const role of ['root', 'operator']) {
    const permission = { role, verb: 'config:write', resource: '*' } as const;
    await run({ command: { type: 'RevokePermission', ...permission } }, { isForced: true });
  }
  const mended = await gw(['set-password', '--name', 'bob', '--password', '-'], { env, input });
  assert.match(mended.stdout, /, role admin repaired, .*, role admin granted\n$/);
});

test('set-password refuses a name that the API would refuse', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  for (const name of ['', ' ', 'ada ', 'a\nb', 'x'.repeat(201)]) {
    const set = ['set-password', '--name', name, '--password', '-'];
    const { code, stderr } = await gw(set, { env, input: 'correct horse battery\n' });
    assert.equal(code, 2, name);
    assert.match(stderr, /^gw: --name: /);
  }
});

test('set-password refuses a password that is easily guessed', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  const set = ['set-password', '--name', 'ada', '--password', '-'];
  const { code, stderr } = await gw(set, { env, input: 'password1234\n' });
  assert.deepEqual(
    [code, stderr],
    [2, 'gw: password: this is one of the most common passwords; choose another\n'],
  );
});

test('set-password warns of a password among the arguments', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  const set = ['set-password', '--name', 'ada', '--password', 'correct horse battery'];
  const { code, stdout, stderr } = await gw(set, { env });
  assert.equal(code, 0);
  assert.match(stderr, /visible to every user/);
  assert.equal(`${stdout}${stderr}`.includes('correct horse battery'), false);
});

test('set-password reads the password from the environment or from a file', async (t) => {
  const { url } = await testDatabase(t);
  const env = { GW_DATABASE_URL: url, GW_ENCRYPTION_KEY: key };
  const set = ['set-password', '--name', 'ada'];
  for (const variable of ['GW_PASSWORD', 'GW_BOOTSTRAP_PASSWORD']) {
    const { code, stderr } = await gw(set, {
      env: { ...env, [variable]: 'correct horse battery' },
    });
    assert.deepEqual([code, stderr], [0, '']);
  }
  const gone = await gw(set, { env: { ...env, GW_PASSWORD_FILE: '/nowhere' } });
  assert.deepEqual(
    [gone.code, gone.stderr],
    [2, 'gw: GW_PASSWORD_FILE names /nowhere, which cannot be read (ENOENT)\n'],
  );
});

test('set-password fails at once without a password and a terminal', async () => {
  const env = { GW_DATABASE_URL: 'postgres://localhost/gw', GW_ENCRYPTION_KEY: key };
  const { code, stderr } = await gw(['set-password', '--name', 'ada'], { env });
  assert.equal(code, 2);
  assert.match(stderr, /no password given/);
});

test('exits with 3 if the database does not answer', async () => {
  const env = { GW_DATABASE_URL: 'postgres://gw@127.0.0.1:1/gw', GW_ENCRYPTION_KEY: key };
  const set = ['set-password', '--name', 'ada', '--password', '-'];
  const { code, stderr } = await gw(set, { env, input: 'correct horse battery' });
  assert.equal(code, 3);
  assert.match(stderr, /ECONNREFUSED/);
});
