// Builds the usage events that a proxy reports, and delivers them to a control plane.

import assert from 'node:assert/strict';

import { sql } from '@databases/pg';
import type { Queryable } from '@databases/pg';

import type { UsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { deltasOfCorrections } from '../../../src/db/usage/sums/add-deltas.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { UsageReceipt } from '../../../src/usage/usage-event.ts';
import type { testAdministrator, TestAnswer } from './admin.ts';
import { proxyToken } from './admin.ts';

const minuteAgo = new Date(Date.now() - 60_000).toISOString();

/** A completed request of principal 1 to model 1, one minute ago, with its own id. */
export const reported = (number: number, change: Readonly<Record<string, unknown>> = {}) => ({
  id: `01ARZ3NDEKTSV4RRFFQ6${String(number).padStart(6, '0')}`,
  at: minuteAgo,
  principal_id: 1,
  key_id: null,
  model_id: 1,
  model: 'small',
  provider_id: null,
  virtual_model: 'chat',
  path: '/v1/chat/completions',
  snapshot_version: 1,
  route: 'concrete',
  tag: null,
  stream: false,
  status: 200,
  refusal: null,
  prompt_tokens: 1_000,
  completion_tokens: 500,
  usage_reported: true,
  reported_cost_micros: null,
  cached: false,
  duration_ms: 100,
  ttft_ms: 10,
  attempts: 1,
  prompt_estimate: 900,
  max_tokens: null,
  ...change,
});

type Administrator = Awaited<ReturnType<typeof testAdministrator>>;

export const reportUsage = (
  { ask }: Pick<Administrator, 'ask'>,
  events: readonly unknown[],
): Promise<TestAnswer> =>
  ask({ method: 'POST', path: '/usage', token: proxyToken, body: { replica: 'r1', events } });

/** Adds all rows to the sums again, after a test has changed rows by hand. The rows are pending. */
export async function sumAgain(db: Queryable): Promise<void> {
  await db.query(sql`delete from op.usage_sums`);
  await db.query(sql`update op.usage_events set is_summed = false`);
  await db.query(deltasOfCorrections(sql`op.usage_corrections`));
}

/** The receipt of a batch that was not refused. */
export function receiptOf(answer: Awaited<ReturnType<UsageIntake>>): UsageReceipt {
  assert.ok(!isRefusal(answer));
  return answer;
}
