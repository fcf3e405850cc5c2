// Unpacks and installs an earlier release of gw, so that tests can run it with this one. A release is
// kept as `git archive` of its program: `git archive REVISION package.json package-lock.json events
// migrations projections src | gzip -9`, without the word table, which only prompt classes need.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const limitMs = 300_000;

const archive = (release: string): string =>
  path.join(import.meta.dirname, `../../fixtures/releases/${release}.tgz`);

/** Returns the main file of the release. Throws if its packages cannot be installed. */
export function installRelease(release: string): string {
  const place = `/var/tmp/gw-test-release-${release}-${process.getuid?.() ?? 0}`;
  if (!existsSync(place)) {
    const made = mkdtempSync(`${place}-`);
    try {
      execFileSync('tar', ['-xzf', archive(release), '-C', made], { timeout: limitMs });
      execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], {
        cwd: made,
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: limitMs,
      });
      // A concurrent test file may have finished first.
      if (!existsSync(place)) renameSync(made, place);
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  return path.join(place, 'src/main.ts');
}
