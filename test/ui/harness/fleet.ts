// Sends reports of replicas of the seeded company.

import assert from 'node:assert/strict';

import { proxyToken } from '../../harness/admin/admin.ts';
import { models } from './company.ts';
import type { Server } from './server.ts';

type Given = Readonly<{ replica: string; version: number; down?: number }>;

/** One report; the first `down` of its backends are down. */
export async function reportReplica(
  { ask }: Pick<Server, 'ask'>,
  { replica, version, down = 0 }: Given,
): Promise<void> {
  const backends = models.slice(0, 12).map(({ name }, index) => ({
    api_base: 'https://engine.example/v1',
    model: name,
    healthy: index >= down,
    inflight: index % 4,
    requests_total: 1_000 + index,
    errors_total: index,
    admission: {
      max_concurrent: 16,
      capacity: 12,
      in_use: index % 4,
      queued: index % 3,
      admitted_total: 900,
      refused_full_total: 1,
      refused_timed_out_total: 0,
    },
  }));
  const answer = await ask({
    method: 'POST',
    path: '/health-report',
    token: proxyToken,
    body: {
      replica,
      snapshot_version: version,
      refused_snapshot: null,
      uptime_seconds: 3_600,
      backends,
      process: {
        requests_ok: 12_000,
        requests_failed: 40,
        usage_dropped: 0,
        cache_hits: 900,
        cache_misses: 2_100,
        cache_entries: 300,
        cache_bytes: 1_500_000,
        rejected_unauthenticated: 5,
        rejected_model_not_found: 2,
      },
    },
  });
  assert.equal(answer.status, 204);
}
