// Sends spikes to limiters of proxies that share a rate limit. It prints the admitted requests of each minute of the
// database's clock, and fails if they exceed the limit or use less than 95 % of it.

import { setTimeout as sleep } from 'node:timers/promises';

import { createControlClient } from '../../src/gateway/control-link/client.ts';
import { startReconcile } from '../../src/gateway/control-link/reconcile.ts';
import { principalId } from '../../src/lib/ids.ts';
import { AllottedBudgets } from '../../src/limits/allotted-budgets.ts';
import { Limiter } from '../../src/limits/limiter.ts';
import { Spending } from '../../src/limits/spending.ts';
import { proxyToken } from '../control/server.ts';
import type { Controls } from './controls.ts';
import { hotAmong, log } from './spikes.ts';

const minuteMs = 60_000;
const one = principalId.parse(1);

type Measured = Readonly<{ limit: number; proxies: number; seconds: number }>;

export async function measureRateLimit(
  controls: Controls,
  { limit, proxies: count, seconds }: Measured,
): Promise<void> {
  const limits = { requests_per_min: limit, tokens_per_min: null };
  await controls.admin.send('PUT', '/admin/principals/1/limits', limits);
  const proxies = Array.from({ length: count }, (_, index) => startProxy(controls.url, index));
  const admitted = new Map<number, number>();
  const untilMs = Date.now() + seconds * 1000;
  let asked = 0;
  const killing = controls.killUntil(untilMs);
  for (let spike = 0; Date.now() < untilMs; spike++) {
    const hot = hotAmong(proxies, spike);
    for (const endMs = Date.now() + 3_000; Date.now() < endMs;) {
      for (const { limiter } of hot) {
        for (let count = 0; count < 6; count++) {
          asked += 1;
          const nowMs = performance.now();
          if (limiter.admit(one, limits, { tokens: 1, nowMs }).refusedBy !== null) continue;
          const minute = Math.floor(Date.now() / minuteMs);
          admitted.set(minute, (admitted.get(minute) ?? 0) + 1);
        }
      }
      await sleep(20);
    }
  }
  const killed = await killing;
  await Promise.all(proxies.map(({ stop }) => stop()));
  const minutes = [...admitted.values()];
  console.log(
    `asked ${asked}, control planes killed ${killed}; admitted by minute: ${minutes.join(' ')}`,
  );
  const whole = minutes.slice(1, -1);
  if (minutes.some((count) => count > limit)) throw new Error('the limit was exceeded');
  if (whole.some((count) => count < 0.95 * limit)) throw new Error('less than 95 % was used');
  console.log(`never above ${limit}; at least ${Math.min(limit, ...whole)} in each whole minute`);
}

function startProxy(controlUrl: string, index: number) {
  // Without allotments it refuses.
  const limiter = new Limiter({ outageShare: 0 });
  const client = createControlClient({ controlUrl, proxyToken, caBundle: [] });
  const reconciling = startReconcile({
    client,
    limiter,
    budgets: new AllottedBudgets({ spending: new Spending() }),
    replica: `proxy-${index}`,
    log,
    intervalMs: 5_000,
    monotonic: () => performance.now(),
  });
  return {
    limiter,
    stop: async (): Promise<void> => {
      await reconciling.stop();
      await client.close();
    },
  };
}
