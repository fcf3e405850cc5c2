// Decides when a snapshot that could not be published causes a notification: once per version that
// the proxies lack (specification, "Events": `snapshot_rebuild_failed`). Retries do not notify
// again.

import type { Notify } from './webhooks/notify.ts';

export type Divergence = Readonly<{
  /** The version of the log, and the version published at the time. */
  version: number;
  publishedVersion: number;
}>;

export type RebuildFailures = Readonly<{
  /** Since `publishedVersion` was published. */
  consecutive: number;
  publishedVersion: number;
  notifiedVersion: number;
}>;

export const noRebuildFailures: RebuildFailures = {
  consecutive: 0,
  publishedVersion: -1,
  notifiedVersion: -1,
};

/**
 * Notify if `notifiedVersion` increases. Without a newer version, a failure has no effect on
 * proxies.
 */
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

/** The message without its cause, because it leaves this process. */
const errorCharactersMax = 500;

type Dependencies = Readonly<{
  notify: Notify;
  replica: string;
}>;

export function createRebuildNotices({ notify, replica }: Dependencies) {
  let failures = noRebuildFailures;
  return (error: unknown, divergence: Divergence): void => {
    const { notifiedVersion } = failures;
    failures = afterRebuildFailure(failures, divergence);
    if (failures.notifiedVersion === notifiedVersion) return;
    const { consecutive } = failures;
    const reason = error instanceof Error ? error.message : 'failed';
    const words = reason.slice(0, errorCharactersMax).toWellFormed();
    notify({ type: 'snapshot_rebuild_failed', data: { replica, error: words, consecutive } });
  };
}
