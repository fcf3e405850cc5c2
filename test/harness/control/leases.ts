// Starts a control plane whose clock a test sets, agents that send heartbeats, and replicas that
// sweep.

import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';

import type { AdminOptions } from '../../../src/admin/open.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import type { Resolve } from '../../../src/egress/egress.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import type { ControlPlane } from '../../../src/control/plane.ts';
import { sweepProviders } from '../../../src/control/providers/provider-sweep.ts';
import { createDial } from '../../../src/control/providers/verify-provider.ts';
import { readEvents } from '../../../src/db/log/event-log.ts';
import { member, testAdministrator } from '../admin/admin.ts';
import type { TestAnswer } from '../admin/admin.ts';
import { testKey } from './plane.ts';

export const sweepIntervalMs = 60_000;

export async function leasingPlane(
  test: Pick<TestContext, 'after'>,
  options: Pick<AdminOptions, 'dynamicProvidersMax' | 'needsPermissionToRegister'> & {
    resolve?: Resolve;
  } = {},
) {
  const time = { now: Date.parse('2030-01-01T00:00:00Z') };
  const clock = (): number => time.now;
  const admin = await testAdministrator(test, { ...options, clock });
  const { send, ask, databaseUrl } = admin;
  const egress = createEgress({ allow: [], deny: [] });
  test.after(() => egress.dispatcher.destroy());

  /** Sweeps once as this replica, as a serving role does. */
  const sweepBy = (plane: ControlPlane): Promise<void> => {
    const { accessToken } = plane.cloudTokens;
    const { dispatcher } = egress;
    return sweepProviders({
      plane,
      dial: createDial({ dispatcher, accessToken }, { parallelMax: 32, waitingMax: 0 }),
      clock,
      newId: randomUUID,
      intervalMs: sweepIntervalMs,
      signal: new AbortController().signal,
      log: { warn: () => {} },
    });
  };
  return {
    ...admin,
    time,
    sweepBy,
    sweep: () => sweepBy(admin.plane),
    /** Opens another control plane on the same database. The caller must close it. */
    another: (): Promise<ControlPlane> =>
      openControlPlane({
        databaseUrl,
        encryptionKey: testKey,
        connectionsMax: 4,
        appVersion: 'test',
        clock,
        onFailure: () => {},
      }),
    /** Creates a principal and returns its new API key. */
    key: async (name: string): Promise<string> => {
      const principal = await send('POST', '/admin/principals', { name });
      const principal_id = member(principal.body, 'id');
      const made = await send('POST', '/admin/keys', { name, principal_id });
      return String(member(made.body, 'key'));
    },
    register: (token: string, body: unknown): Promise<TestAnswer> =>
      ask({ method: 'POST', path: '/admin/providers/register', token, body }),
    /** The events of providers and models, in log order. */
    events: () => eventsOf(admin.plane),
  };
}

export type LeasingPlane = Awaited<ReturnType<typeof leasingPlane>>;

async function eventsOf({ db, store, refresh }: ControlPlane) {
  await refresh();
  return readEvents(db, { after: 0, limit: store.state().position });
}
