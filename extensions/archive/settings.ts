// Lists the settings of the archive of usage.

import { z } from 'zod';

import { define, httpUrl, text, valuesIn, wholeNumber } from '../../src/cli/settings/setting.ts';
import type { SettingsPart } from '../../src/cli/settings/setting.ts';
import { refuse } from '../../src/lib/refusal.ts';

const bucket = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w!.*'()/-]*)?$/;
const placeForms = 'must be an absolute path of a directory, s3://bucket/prefix, or off';

const table = {
  usageArchive: define({
    flag: '--usage-archive',
    variable: 'GW_USAGE_ARCHIVE',
    schema: z
      .string()
      .refine((value) => value === 'off' || value.startsWith('/') || bucket.test(value), {
        error: placeForms,
      })
      .transform((value) => (value === '/' ? value : value.replace(/\/+$/, ''))),
    fallback: null,
    description:
      'archive of usage rows: a directory or s3://bucket/prefix; off removes rows without an archive again',
  }),
  usageArchiveEndpoint: define({
    flag: '--usage-archive-endpoint',
    variable: 'GW_USAGE_ARCHIVE_ENDPOINT',
    schema: httpUrl,
    fallback: null,
    description: 'address of the S3 API of that bucket; without it, that of AWS in the region',
  }),
  usageArchiveRegion: define({
    flag: '--usage-archive-region',
    variable: 'GW_USAGE_ARCHIVE_REGION',
    schema: text,
    fallback: 'us-east-1',
    description: 'region of that bucket',
  }),
  usageArchiveAccessKey: define({
    flag: null,
    variable: 'GW_USAGE_ARCHIVE_ACCESS_KEY',
    schema: text,
    fallback: null,
    secret: true,
    description: 'access key id for that bucket',
  }),
  usageArchiveSecretKey: define({
    flag: null,
    variable: 'GW_USAGE_ARCHIVE_SECRET_KEY',
    schema: text,
    fallback: null,
    secret: true,
    description: 'secret access key for that bucket',
  }),
  usageArchiveLock: define({
    flag: '--usage-archive-lock',
    variable: 'GW_USAGE_ARCHIVE_LOCK',
    schema: wholeNumber({ from: 1, to: 36_500 }),
    fallback: null,
    unit: 'days',
    description:
      'time in which no one can delete or replace an archived object (S3 Object Lock, compliance mode)',
  }),
} as const;

export const archiveValues = (settings: Readonly<Record<string, unknown>>) =>
  valuesIn(table, settings);
export type ArchiveValues = ReturnType<typeof archiveValues>;

export const archiveSettings = {
  table,
  refusals: (settings) => {
    const { usageArchive, usageArchiveAccessKey, usageArchiveSecretKey } = archiveValues(settings);
    if (usageArchive?.startsWith('s3://') !== true) return [];
    if (usageArchiveAccessKey !== null && usageArchiveSecretKey !== null) return [];
    return [
      refuse(
        'invalid',
        '--usage-archive s3:// needs GW_USAGE_ARCHIVE_ACCESS_KEY and GW_USAGE_ARCHIVE_SECRET_KEY',
      ),
    ];
  },
} satisfies SettingsPart;
