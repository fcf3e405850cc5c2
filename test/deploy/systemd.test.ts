// Tests that the units in deploy/systemd start existing commands, allow enough time to stop, and
// pass systemd's checks.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import type { Setting } from '../../src/cli/settings/setting.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';

const directory = path.join(import.meta.dirname, '../../deploy/systemd');
const known = new Set(Object.values<Setting>(settingsTable).map(({ variable }) => variable));
const analyzer = '/usr/bin/systemd-analyze';
const valueOf = (unit: string, name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

for (const name of readdirSync(directory)) {
  describe(name, () => {
    const unit = readFileSync(path.join(directory, name), 'utf8');

    it('starts an existing role with existing settings', () => {
      const [, role = ''] =
        /^\/usr\/local\/bin\/gw --role (\w+)$/.exec(valueOf(unit, 'ExecStart')) ?? [];
      assert.equal(name, `gw-${role}.service`);
      assert.equal(settingsTable.role.schema.safeParse(role).success, true);
      const named = unit.match(/\bGW_\w+/g) ?? [];
      assert.ok(named.length >= 2);
      for (const variable of named) assert.ok(known.has(variable), variable);
    });

    it('allows the process more time to stop than it needs', () => {
      const { shutdownGrace, shutdownDelay } = settingsTable;
      const seconds = shutdownGrace.fallback + (shutdownDelay.fallback ?? 0);
      assert.ok(Number(valueOf(unit, 'TimeoutStopSec')) > seconds);
    });

    it('runs without root and without rights that it does not use', () => {
      for (const line of ['DynamicUser=yes', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=']) {
        assert.ok(unit.split('\n').includes(line), line);
      }
    });

    it('passes systemd’s checks of syntax and confinement', () => {
      // Without systemd, nothing can run the unit. The tests above check its form.
      if (!existsSync(analyzer)) return;
      const place = mkdtempSync(path.join(os.tmpdir(), 'gw-units-'));
      try {
        const copy = path.join(place, name);
        // gw is not installed on this machine, so the copy names an existing program.
        writeFileSync(copy, unit.replace('/usr/local/bin/gw', process.execPath));
        const run = (...args: readonly string[]): string =>
          execFileSync(analyzer, [...args, copy], { encoding: 'utf8', stdio: 'pipe' });
        assert.equal(run('verify'), '');
        run('security', '--offline=true', '--threshold=25');
      } finally {
        rmSync(place, { recursive: true });
      }
    });
  });
}
