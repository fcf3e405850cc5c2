// Opens the target that the settings name.

import type { Dispatcher } from 'undici';

import type { ArchiveValues } from '../settings.ts';
import { bucketTarget } from './bucket.ts';
import { directoryTarget } from './directory.ts';
import type { Target } from './target.ts';

/** Null if the settings name none. They were checked at the start. */
export function openTarget(values: ArchiveValues, dispatcher: Dispatcher): Target | null {
  const { usageArchive: place, usageArchiveAccessKey, usageArchiveSecretKey } = values;
  if (place === null || place === 'off') return null;
  if (!place.startsWith('s3://')) return directoryTarget(place);
  return bucketTarget({
    place,
    endpoint: values.usageArchiveEndpoint,
    region: values.usageArchiveRegion,
    accessKey: usageArchiveAccessKey ?? '',
    secretKey: usageArchiveSecretKey ?? '',
    lockDays: values.usageArchiveLock,
    dispatcher,
  });
}
