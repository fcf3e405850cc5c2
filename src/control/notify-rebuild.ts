// When a snapshot that could not be published is worth a notification: once for each version that the log holds and proxies do
// not get (specification, "Events": `snapshot_rebuild_failed`). Trying that version again is no new event.

import type { Notice } from './fleet/notify.ts';

export type Divergence = Readonly<{
  /** Of the log, and of what is published meanwhile. */
  version: number;
  publishedVersion: number;
}>;

export type RebuildFailures = Readonly<{
  /** In a row, since `publishedVersion` was published. */
  consecutive: number;
  publishedVersion: number;
  notifiedVersion: number;
}>;

export const noRebuildFailures: RebuildFailures = {
  consecutive: 0,
  publishedVersion: -1,
  notifiedVersion: -1,
};

/** A higher `notifiedVersion` than before is one to notify. What fails without a newer version diverges from nothing. */
export function afterRebuildFailure(
  before: RebuildFailures,
  { version, publishedVersion }: Divergence,
): RebuildFailures {
  const isSameRow = publishedVersion === before.publishedVersion;
  const isDivergent = version > publishedVersion && version > before.notifiedVersion;
  return {
    consecutive: (isSameRow ? before.consecutive : 0) + 1,
    publishedVersion,
    notifiedVersion: isDivergent ? version : before.notifiedVersion,
  };
}

/** A failure's own words, without what caused it: they leave this process. */
const errorCharactersMax = 500;

type Dependencies = Readonly<{
  notify: (notice: Notice) => void;
  /** Names this process. */
  replica: string;
}>;

/** To be told of each failure. */
export function createRebuildNotices({ notify, replica }: Dependencies) {
  let failures = noRebuildFailures;
  return (error: unknown, divergence: Divergence): void => {
    const { notifiedVersion } = failures;
    failures = afterRebuildFailure(failures, divergence);
    if (failures.notifiedVersion === notifiedVersion) return;
    const { consecutive } = failures;
    const reason = error instanceof Error ? error.message : 'failed';
    const words = reason.slice(0, errorCharactersMax).toWellFormed();
    notify({ event: 'snapshot_rebuild_failed', replica, error: words, consecutive });
  };
}
