// Runs the sweep of providers in a serving control plane.

import { randomUUID } from 'node:crypto';

import type { Egress } from '../../egress/egress.ts';
import type { ControlPlane } from '../../control/plane.ts';
import { sweepProviders, sweptAtOnceMax } from '../../control/providers/provider-sweep.ts';
import { repeatEvery } from '../../control/repeat.ts';
import { createDial } from '../../control/providers/verify-provider.ts';
import type { Log } from '../../telemetry/log.ts';

type Parts = Readonly<{
  plane: ControlPlane;
  egress: Pick<Egress, 'dispatcher'>;
  intervalMs: number;
  log: Log;
}>;

/** The first sweep runs after one interval, when agents have sent heartbeats. `stop` also ends a running sweep. */
export function startSweeping({ plane, egress: { dispatcher }, intervalMs, log }: Parts) {
  const closing = new AbortController();
  const { signal } = closing;
  const { accessToken } = plane.cloudTokens;
  const dial = createDial(
    { dispatcher, accessToken, signal },
    { parallelMax: sweptAtOnceMax, waitingMax: 0 },
  );
  const sweeping = repeatEvery({
    intervalMs,
    work: () =>
      sweepProviders({ plane, dial, clock: Date.now, newId: randomUUID, intervalMs, signal, log }),
    onFailure: (error) => log.warn({ error }, 'failed: sweeping the providers'),
  });
  return {
    stop: (): Promise<void> => {
      closing.abort();
      return sweeping.stop();
    },
  };
}
