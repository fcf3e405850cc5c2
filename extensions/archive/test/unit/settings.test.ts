// Tests which places an archive can have.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readSettings } from '../../../../src/cli/settings/settings.ts';
import { archiveSettings } from '../../settings.ts';

const read = (place: string) =>
  readSettings({ flags: {}, env: { GW_USAGE_ARCHIVE: place }, readFile: () => '' });

test('an archive is in a directory, a bucket, or off', () => {
  for (const place of ['/srv/archive', '/', 's3://bucket', "s3://bucket/gw's/(prod)", 'off']) {
    assert.ok('settings' in read(place), place);
  }
});

test('refuses other places, and names the forms that are allowed', () => {
  for (const place of ['archive', 's3://', 's3://B', 's3://bucket/a b', 'https://host/a']) {
    const answer = read(place);
    assert.ok('refusals' in answer, place);
    assert.match(answer.refusals[0]?.message ?? '', /must be an absolute path .* s3:\/\/bucket/);
  }
});

test('refuses a bucket without its keys', () => {
  const given = { role: 'control', sources: {}, usageArchive: 's3://bucket' };
  assert.equal(archiveSettings.refusals(given).length, 1);
  const keys = { usageArchiveAccessKey: 'a', usageArchiveSecretKey: 'b' };
  assert.deepEqual(archiveSettings.refusals({ ...given, ...keys }), []);
  assert.deepEqual(archiveSettings.refusals({ ...given, usageArchive: '/srv' }), []);
});
