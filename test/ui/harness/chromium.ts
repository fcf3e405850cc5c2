// Finds the Chromium that browser tests drive, or installs Debian's where that is possible.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const places = [
  process.env['GW_TEST_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const find = (): string | undefined =>
  places.find((place) => place !== undefined && place !== '' && existsSync(place));

/** Throws with what to do where there is none and none can be installed. */
export function chromiumPath(): string {
  const found = find();
  if (found !== undefined) return found;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && existsSync('/usr/bin/apt-get')) install();
  const installed = find();
  if (installed !== undefined) return installed;
  throw new Error(
    'browser tests need Chromium: install the package chromium, or name one by GW_TEST_CHROMIUM',
  );
}

function install(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    execFileSync('apt-get', args, { env, stdio: 'ignore' });
  }
}
