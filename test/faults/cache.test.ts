// Tests that the snapshot cache survives a kill of its writer at any moment: what is read back is
// complete, and not older than the last completed write. GW_TEST_CACHE_KILLS makes it longer (`npm
// run test:soak`).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';

import { createSnapshotCache } from '../../src/gateway/control-link/cache.ts';
import { until } from '../harness/wait.ts';

const kills = Number(process.env['GW_TEST_CACHE_KILLS'] ?? 5);
const proxyToken = 'token-of-sixteen';
const writer = path.join(import.meta.dirname, '../harness/program/write-snapshots.ts');

describe('the snapshot cache', () => {
  it(`is complete after each of ${kills} kills of its writer`, async (test) => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'gw-kills-'));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const file = path.join(directory, 'snapshot.json');
    const cache = createSnapshotCache({ path: file, secret: proxyToken });
    let written = 0;
    for (let kill = 0; kill < kills; kill++) {
      const first = written + 1;
      const child = spawn(process.execPath, [writer, file, proxyToken, String(first)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      createInterface({ input: child.stdout }).on('line', (line) => (written = Number(line)));
      // Kills at a different moment of a write each time.
      await until(() => written > first + (kill % 7), { what: 'some writes' });
      child.kill('SIGKILL');
      await closed;
      const { cached, refused } = await cache.read();
      assert.ok(cached !== null, refused.join('; '));
      const { snapshot } = cached;
      assert.ok(snapshot.version >= written, `${snapshot.version} is older than ${written}`);
      written = snapshot.version;
    }
  });
});
