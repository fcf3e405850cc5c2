// Starts a gateway in this process that follows a test's control plane and reports its usage to it.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Program } from '../../../src/admin/operations/program.ts';
import type { testAdministrator } from '../admin/admin.ts';
import { startTestGateway } from './gateway.ts';
import type { TestGateway } from './gateway.ts';

/** The address of the gateway; null until it listens. */
export type Place = { url: string | null };

export const programWith = (place: Place): Program => ({
  role: 'all',
  version: 'test',
  settings: [],
  uptimeSeconds: () => 1,
  isLeaving: () => false,
  backends: () => [],
  gateway: { url: () => place.url, ca: [] },
});

export async function startFollowingGateway(
  test: Pick<TestContext, 'after'>,
  { admin }: Pick<Awaited<ReturnType<typeof testAdministrator>>, 'admin'>,
  place: Place,
): Promise<TestGateway> {
  const { publisher, takeUsage } = admin.needs.machines;
  const gateway = await startTestGateway(null, {
    usage: (event) => void takeUsage({ replica: 'gateway-1', events: [event] }),
  });
  const serve = (current: ReturnType<typeof publisher.current>): void => {
    if (current !== null) assert.equal(gateway.live.apply(current.snapshot), undefined);
  };
  const stop = publisher.onPublished(serve);
  serve(publisher.current());
  place.url = gateway.url;
  test.after(async () => {
    stop();
    await gateway[Symbol.asyncDispose]();
  });
  return gateway;
}
