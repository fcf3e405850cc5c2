// Loads the published version, and how often replicas poll and report.

import { call } from './call.ts';
import type { Published } from '../../lib/observe/fleet.ts';
import { listSnapshots } from '../snapshots.ts';

/** Seconds, if the process reports no interval. */
const intervalStandard = 10;

export async function getPublished(signal?: AbortSignal): Promise<Published> {
  const [{ body: config }, { body: versions }] = await Promise.all([
    call('GET', '/admin/config', { signal }),
    listSnapshots(1, signal),
  ]);
  const { snapshot_version: version } = config;
  const [newest] = versions;
  return {
    version,
    at: newest !== undefined && newest.version === version ? Date.parse(newest.created_at) : null,
    reportSeconds: config.health_report_interval_seconds ?? intervalStandard,
    pollSeconds: config.config_poll_seconds ?? intervalStandard,
  };
}
