// Sets budgets of principals on a control plane, reports usage to it and reads the counters.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import { sql } from '@databases/pg';

import { createNotifier } from '../../../src/control/webhooks/notify.ts';
import { noSingleUrl } from '../../../src/control/webhooks/single-url.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { createUsageIntake } from '../../../src/control/usage/usage-intake.ts';
import { budgetUsages } from '../../../src/db/usage/budget-usage.ts';
import { principalId } from '../../../src/lib/ids.ts';
import type { BudgetCalendar, BudgetWindow } from '../../../src/lib/vocabulary.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';
import type { TestPlane } from './plane.ts';

export const one = principalId.parse(1);

type Given = {
  tokens?: number;
  costMicros?: number;
  window?: BudgetWindow;
  calendar?: BudgetCalendar | null;
  used?: number;
  alerts?: readonly number[];
};

export const setBudget = (
  { run }: TestPlane,
  { tokens, costMicros, window, calendar, used, alerts }: Given,
  id = one,
) =>
  run({
    command: {
      type: 'SetBudget',
      id,
      tokensTotal: tokens ?? null,
      costTotalMicros: costMicros ?? null,
      window,
      calendar,
      alertAtPercent: alerts,
      initialTokensUsed: used ?? 0,
    },
  });

/** An answered request of principal 1, with its own id. */
export const spent = (
  number: number,
  tokens: number,
  change: Readonly<Record<string, unknown>> = {},
) => ({
  id: `01ARZ3NDEKTSV4RRFFQ69${String(number).padStart(5, '0')}`,
  at: new Date().toISOString(),
  principal_id: 1,
  key_id: null,
  model_id: null,
  model: null,
  provider_id: null,
  virtual_model: 'chat',
  path: '/v1/chat/completions',
  snapshot_version: 1,
  route: 'concrete',
  tag: null,
  stream: false,
  status: 200,
  refusal: null,
  prompt_tokens: tokens,
  completion_tokens: 0,
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

const { notifyIn } = createNotifier({
  singleUrl: noSingleUrl,
  clock: Date.now,
  newId: randomUUID,
});

/** Reports usage. Notifications are stored and not sent. */
export function take({ plane }: TestPlane, events: readonly unknown[], clock: Clock = Date.now) {
  const { db, vault, refresh } = plane;
  const { state } = plane.store;
  const intake = createUsageIntake({
    db,
    vault,
    state,
    refresh,
    notifyIn,
    clock,
  });
  return intake({ replica: 'r1', events: [...events] });
}

/** Tokens and money spent from the budget of principal 1. Null without a counter. */
export async function counted({ plane }: TestPlane): Promise<readonly number[] | null> {
  const [usage] = await budgetUsages(plane.db, [1]);
  return usage === undefined ? null : [usage.tokens_used, usage.cost_used_micros];
}

export const startOf = async ({ plane }: TestPlane): Promise<number | undefined> =>
  (await budgetUsages(plane.db, [1]))[0]?.window_start.getTime();

export const current = ({ plane }: Pick<TestPlane, 'plane'>): Snapshot => {
  const { snapshot } = plane.publisher.current() ?? {};
  assert.ok(snapshot);
  return snapshot;
};

/** The data of all notifications, oldest first. */
export async function notified({ plane }: TestPlane): Promise<readonly unknown[]> {
  const rows = await plane.db.query(
    sql`select jsonb_build_object('type', type) || data as notice from op.notifications order by seq`,
  );
  return rows.map(({ notice }: { notice: unknown }) => notice);
}
