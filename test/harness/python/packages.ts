// Installs pinned Python packages that tests need into a cache that all test runs share.

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The numbers of the pinned packages are for this Python. */
const pythonVersion = '3.12';
const uvVersion = '0.13.9';
const installLimitMs = 300_000;

/** `packages` belongs in PYTHONPATH. */
export type Python = Readonly<{ program: string; packages: string }>;

type Wanted = Readonly<{
  /** With the version of the main package, because an installed cache is not updated. */
  name: string;
  requirements: string;
  /** For the error if they cannot be installed. */
  purpose: string;
}>;

const placeOf = (name: string): string => `/var/tmp/gw-test-${name}-${process.getuid?.() ?? 0}`;

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: installLimitMs,
  });

const isPython = (program: string): boolean => {
  try {
    return run(program, '--version').startsWith(`Python ${pythonVersion}.`);
  } catch {
    return false;
  }
};

/** Another cache may have downloaded it. */
function findPython(): string | null {
  const pyenv = process.env['PYENV_ROOT'] ?? path.join(os.homedir(), '.pyenv');
  const places = [
    process.env['GW_TEST_PYTHON'] ?? '',
    `python${pythonVersion}`,
    'python3',
    ...globSync(path.join(pyenv, `versions/${pythonVersion}.*/bin/python3`)),
    ...globSync(`${placeOf('*')}/python/*/bin/python${pythonVersion}`),
  ];
  return places.find((place) => place !== '' && isPython(place)) ?? null;
}

/** Downloads Python with uv, which any Python 3 can install. */
function downloadPython(into: string): string {
  const uv = path.join(into, 'uv');
  run('python3', '-m', 'pip', 'install', '--quiet', '--target', uv, `uv==${uvVersion}`);
  const place = path.join(into, 'python');
  run(path.join(uv, 'bin/uv'), 'python', 'install', '--install-dir', place, pythonVersion);
  rmSync(uv, { recursive: true });
  return path.join(place, globSync(`*/bin/python${pythonVersion}`, { cwd: place })[0] ?? '');
}

/** Throws an error that says what to install if that is not possible here. */
export function preparePython(wanted: Wanted): Python {
  const packages = path.join(placeOf(wanted.name), 'packages');
  if (!existsSync(packages)) install(wanted);
  const program = findPython();
  if (program === null) throw missing(wanted);
  return { program, packages };
}

function install(wanted: Wanted): void {
  const installed = placeOf(wanted.name);
  const made = mkdtempSync(`${installed}-`);
  try {
    const packages = path.join(made, 'packages');
    mkdirSync(packages);
    const program = findPython() ?? downloadPython(made);
    const target = ['--quiet', '--no-deps', '--prefer-binary', '--target', packages];
    run(program, '-m', 'pip', 'install', ...target, '-r', wanted.requirements);
    // A concurrent test file may have finished first.
    if (!existsSync(installed)) renameSync(made, installed);
  } catch (cause) {
    throw missing(wanted, cause);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

const missing = ({ purpose }: Wanted, cause?: unknown): Error =>
  new Error(
    `${purpose} needs Python ${pythonVersion} with pip; install it, or name one by GW_TEST_PYTHON`,
    { cause },
  );
