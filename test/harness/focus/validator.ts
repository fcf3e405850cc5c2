// Runs the FOCUS validator of the FinOps Foundation (PyPI: focus-validator) on a file. Installs it
// with pinned dependencies into a cache that all test runs share.

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import { preparePython } from '../python/packages.ts';
import type { Python } from '../python/packages.ts';

const runLimitMs = 90_000;

/** Throws an error that says what to install if that is not possible here. */
export const prepareFocusValidator = (): Python =>
  preparePython({
    name: 'focus-validator-2.2.1',
    requirements: path.join(import.meta.dirname, 'requirements.txt'),
    purpose: 'the test of the FOCUS export',
  });

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
