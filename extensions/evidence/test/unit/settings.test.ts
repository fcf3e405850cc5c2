// Tests the warnings of the checkpoint settings at start.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings } from '../../../../src/cli/settings/settings.ts';
import { startupWarnings } from '../../../../src/cli/startup.ts';

const warned = (given: Readonly<Record<string, string>>): boolean => {
  const env = { GW_AUDIT_SIGNING_KEY: '11'.repeat(32), ...given };
  const read = readSettings({ flags: {}, env, readFile: () => '' });
  assert.ok('settings' in read, JSON.stringify(read));
  return startupWarnings(read.settings).some((warning) =>
    warning.startsWith('GW_AUDIT_SIGNING_KEY without --audit-checkpoint-file'),
  );
};

test('warns a control process that keeps no checkpoint outside of the database', () => {
  assert.equal(warned({ GW_ROLE: 'control' }), true);
  assert.equal(warned({ GW_ROLE: 'control', GW_AUDIT_CHECKPOINT_FILE: '/kept' }), false);
  assert.equal(warned({ GW_ROLE: 'all' }), false);
});
