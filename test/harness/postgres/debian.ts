// Finds Debian programs that tests need and npm does not have: the Postgres clients and PgBouncer.
// Uses the installed ones; otherwise downloads and unpacks their packages, which needs no root and
// starts no service.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';

/** `env` extends PATH. */
export type DebianPrograms = Readonly<{ bin: string; env: Readonly<Record<string, string>> }>;

const packages = ['postgresql-15', 'postgresql-client-15', 'pgbouncer'];
/**
 * Must be readable by the account that test servers run under, which a home directory may not be.
 */
const unpacked = `/var/tmp/gw-test-programs-${process.getuid?.() ?? 0}`;
const installLimitMs = 180_000;

export const debianPostgres = (): DebianPrograms =>
  find('usr/lib/postgresql/15/bin', ['postgres', 'pg_dump', 'pg_basebackup']);
export const debianBouncer = (): DebianPrograms => find('usr/sbin', ['pgbouncer']);

/** Throws an error that says what to install if a program is missing and cannot be downloaded. */
function find(directory: string, programs: readonly string[]): DebianPrograms {
  const isIn = (root: string): boolean =>
    programs.every((program) => existsSync(path.join(root, directory, program)));
  if (isIn('/')) return { bin: path.join('/', directory), env: {} };
  if (!isIn(unpacked)) download();
  const libraries = ['usr/lib', 'lib'].flatMap((library) => {
    const root = path.join(unpacked, library);
    const architectures = existsSync(root) ? readdirSync(root) : [];
    return architectures
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => path.join(root, name));
  });
  return {
    bin: path.join(unpacked, directory),
    env: { LD_LIBRARY_PATH: libraries.join(':') },
  };
}

/** Includes all dependencies that are not installed. */
function download(): void {
  if (!existsSync('/usr/bin/apt-get')) {
    throw new Error(`these tests need the Debian packages ${packages.join(', ')}; install them`);
  }
  const made = mkdtempSync(`${unpacked}-`);
  // Servers run under another account if the tests run as root.
  chmodSync(made, 0o755);
  for (const directory of ['state/lists/partial', 'cache/archives/partial', 'root']) {
    mkdirSync(path.join(made, directory), { recursive: true });
  }
  const apt = (...args: readonly string[]): void => {
    const options = [
      `Dir::State=${made}/state`,
      `Dir::Cache=${made}/cache`,
      'Dir::State::status=/var/lib/dpkg/status',
      'Debug::NoLocking=1',
      'APT::Sandbox::User=',
      'Acquire::http::Timeout=10',
    ].flatMap((option) => ['-o', option]);
    execFileSync('apt-get', [...options, ...args], { stdio: 'ignore', timeout: installLimitMs });
  };
  try {
    apt('update');
    apt('install', '--download-only', '--no-install-recommends', '-y', ...packages);
    const archives = path.join(made, 'cache/archives');
    for (const name of readdirSync(archives).filter((one) => one.endsWith('.deb'))) {
      execFileSync('dpkg-deb', ['-x', path.join(archives, name), path.join(made, 'root')]);
    }
    // A concurrent test file may have finished first.
    if (!existsSync(unpacked)) renameSync(path.join(made, 'root'), unpacked);
  } catch (cause) {
    const wanted = packages.join(', ');
    throw new Error(`the Debian packages ${wanted} cannot be downloaded; install them`, { cause });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Downloads missing programs before tests run in parallel. */
export function preparePrograms(): void {
  debianPostgres();
  debianBouncer();
}
