// Runs the FOCUS validator of the FinOps Foundation (PyPI: focus-validator) on a file. Installs it
// with pinned dependencies into a cache that all test runs share.

import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const requirements = path.join(import.meta.dirname, 'requirements.txt');
/** The numbers of the pinned packages are for this Python. */
const pythonVersion = '3.12';
const uvVersion = '0.13.9';
const installed = `/var/tmp/gw-test-focus-validator-2.2.1-${process.getuid?.() ?? 0}`;
const installLimitMs = 300_000;
const runLimitMs = 90_000;

type Python = Readonly<{ program: string; packages: string }>;

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

function findPython(): string | null {
  const pyenv = process.env['PYENV_ROOT'] ?? path.join(os.homedir(), '.pyenv');
  const places = [
    process.env['GW_TEST_PYTHON'] ?? '',
    `python${pythonVersion}`,
    'python3',
    ...globSync(path.join(pyenv, `versions/${pythonVersion}.*/bin/python3`)),
    ...globSync(path.join(installed, `python/*/bin/python${pythonVersion}`)),
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
export function prepareFocusValidator(): Python {
  const packages = path.join(installed, 'packages');
  if (!existsSync(packages)) install();
  const program = findPython();
  if (program === null) throw missing();
  return { program, packages };
}

function install(): void {
  const made = mkdtempSync(`${installed}-`);
  try {
    const packages = path.join(made, 'packages');
    mkdirSync(packages);
    const program = findPython() ?? downloadPython(made);
    const target = ['--quiet', '--no-deps', '--prefer-binary', '--target', packages];
    run(program, '-m', 'pip', 'install', ...target, '-r', requirements);
    // A concurrent test file may have finished first.
    if (!existsSync(installed)) renameSync(made, installed);
  } catch (cause) {
    throw missing(cause);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

const missing = (cause?: unknown): Error =>
  new Error(
    `the test of the FOCUS export needs Python ${pythonVersion} with pip; install it, or name one by GW_TEST_PYTHON`,
    { cause },
  );

/** The rules for regions, commitments and capacity do not apply to gw. */
const applicable = [
  'ACCOUNT_NAMING',
  'BILLING_BASED_ON_PROVISIONED_RESOURCES',
  'MULTIPLE_BILLING_ACCOUNT_TYPES',
  'MULTIPLE_PRICING_CATEGORIES',
  'MULTIPLE_SUB_ACCOUNT_TYPES',
  'NEGOTIATED_PRICING',
  'PRICING_BILLING_CURRENCY_DIFFERENCES',
  'PUBLIC_PRICE_LIST',
  'RESOURCE_TYPE_ASSIGNMENT',
  'SUB_ACCOUNT',
  'TAGGING',
  'UNIT_PRICING',
  'USAGE_MEASUREMENT',
].map((name) => `${name}_SUPPORTED`);

export type FocusResult = Readonly<{ passed: readonly string[]; failed: readonly string[] }>;

/** The rules of FOCUS 1.2 that the file passed and failed. */
export async function validateFocus(file: string): Promise<FocusResult> {
  const { program, packages } = prepareFocusValidator();
  const main = 'from focus_validator.main import main; main()';
  const options = ['--validate-version', '1.2', '--block-download', '--data-file', file];
  const args = ['-c', main, ...options, '--applicability-criteria', applicable.join(',')];
  const { stdout } = await promisify(execFile)(program, args, {
    // The validator reads its currency list from a path relative to this directory.
    cwd: packages,
    env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
    timeout: runLimitMs,
    maxBuffer: 10_000_000,
  });
  const named = (result: string): string[] =>
    [...stdout.matchAll(new RegExp(`^\\S+ ([\\w-]+): ${result}`, 'gm'))].map((one) => one[1] ?? '');
  return { passed: named('PASS'), failed: named('FAIL') };
}
