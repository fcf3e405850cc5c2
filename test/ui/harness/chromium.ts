// Finds the Chromium for browser tests. The headless shell of Debian is preferred, because it takes
// half the CPU time of the whole browser.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const headlessShell = '/usr/bin/chromium-headless-shell';

const places = [
  process.env['GW_TEST_CHROMIUM'],
  headlessShell,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const find = (): string | undefined =>
  places.find((place) => place !== undefined && place !== '' && existsSync(place));

/** Throws with instructions if there is none. */
export function chromiumPath(): string {
  const found = find() ?? (installChromium() ? find() : undefined);
  if (found !== undefined) return found;
  throw new Error(
    'browser tests need Chromium: install the package chromium-headless-shell or chromium, or name one by GW_TEST_CHROMIUM',
  );
}

const installLimitMs = 180_000;
const quick = ['-o', 'Acquire::http::Timeout=10', '-o', 'DPkg::Lock::Timeout=120'];

/**
 * Installs Chromium from Debian packages where possible: the headless shell, or the whole browser
 * only if there is no browser at all. Returns whether something was installed.
 */
export function installChromium(): boolean {
  const given = process.env['GW_TEST_CHROMIUM'] ?? '';
  if (given !== '' || existsSync(headlessShell)) return false;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const wanted = ['chromium-headless-shell', ...(find() === undefined ? ['chromium'] : [])];
  return aptGet('update') && wanted.some((name) => aptGet('install', '-y', name));
}

function aptGet(...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = [...quick, '--no-install-recommends', ...args];
  try {
    execFileSync('apt-get', options, { env, stdio: 'ignore', timeout: installLimitMs });
    return true;
  } catch {
    return false;
  }
}
