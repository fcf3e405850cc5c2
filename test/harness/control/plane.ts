// Opens control planes on a test database, runs commands and records failures.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { Client } from 'pg';

import type { MutationContext, Mutation, Outcome } from '../../../src/control/commands/execute.ts';
import { openControlPlane } from '../../../src/control/plane.ts';
import type { ControlPlane, PlaneOptions } from '../../../src/control/plane.ts';
import { isRefusal } from '../../../src/lib/refusal.ts';
import type { Refusal } from '../../../src/lib/refusal.ts';
import { testDatabase } from '../postgres/postgres.ts';

export const testKey = new Uint8Array(32).fill(7);

export const person: MutationContext = {
  actor: { kind: 'session', principal_id: 1 },
  action: 'POST /admin/test',
  target: 'test',
  requestId: 'request-1',
  reason: null,
};

export type Failure = Readonly<{ what: string; error: unknown }>;

export type TestPlane = Readonly<{
  url: string;
  plane: ControlPlane;
  /** The failures that the plane reported, in order. */
  failures: readonly Failure[];
  /** The outcome or refusal of a command, as returned to its caller. */
  attempt: (mutation: Mutation, context?: Partial<MutationContext>) => Promise<Outcome | Refusal>;
  /** Like `attempt`, but fails if the command is refused. */
  run: (mutation: Mutation, context?: Partial<MutationContext>) => Promise<Outcome>;
  /** Opens another plane on the same database. */
  another: (options?: Partial<PlaneOptions>) => Promise<TestPlane>;
  /** Opens a superuser session on the same database. */
  session: () => Promise<Client>;
}>;

/** Opens a plane. When the test ends, closes it and drops the database. */
export async function testPlane(
  test: Pick<TestContext, 'after'>,
  options: Partial<PlaneOptions> = {},
): Promise<TestPlane> {
  const { url, superuserUrl, drop } = await testDatabase();
  const closing: (() => Promise<void>)[] = [];
  test.after(async () => {
    await Promise.all(closing.map((close) => close()));
    await drop();
  });
  const session = async (): Promise<Client> => {
    const client = new Client({ connectionString: superuserUrl });
    // Tests may end any session, including this one; its next query then fails.
    client.on('error', () => undefined);
    await client.connect();
    closing.push(() => client.end().catch(() => undefined));
    return client;
  };
  const another = async (options: Partial<PlaneOptions> = {}): Promise<TestPlane> => {
    const failures: Failure[] = [];
    const plane = await openControlPlane({
      databaseUrl: url,
      encryptionKey: testKey,
      connectionsMax: 4,
      appVersion: 'test',
      clock: Date.now,
      onFailure: (what, error) => failures.push({ what, error }),
      ...options,
    });
    closing.push(() => plane.close());
    const attempt: TestPlane['attempt'] = (mutation, context = {}) =>
      plane.execute(mutation, { ...person, ...context });
    const run: TestPlane['run'] = async (mutation, context) => {
      const outcome = await attempt(mutation, context);
      if (isRefusal(outcome)) assert.fail(`${outcome.refused}: ${outcome.message}`);
      return outcome;
    };
    return { url, plane, failures, attempt, run, another, session };
  };
  return another(options);
}
