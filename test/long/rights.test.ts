// Tests that no sequence of requests gives a caller rights, keys or changes that it is not entitled
// to. For every event, its actor held the required verb immediately before. A caller without
// config:write cannot obtain any right.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TestContext } from 'node:test';

import * as fc from 'fast-check';

import { fold } from '../../projections/config/state.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { splitCommands } from '../../projections/rows.ts';
import { verbsOf } from '../../projections/config/grants.ts';
import type { MutationContext, Mutation } from '../../src/control/commands/execute.ts';
import { readEvents } from '../../src/db/log/event-log.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { principalId } from '../../src/lib/ids.ts';
import type { PrincipalId } from '../../src/lib/ids.ts';
import { verb } from '../../src/lib/vocabulary.ts';
import type { Verb } from '../../src/lib/vocabulary.ts';
import { testAdmin } from '../harness/admin/admin.ts';
import type { TestAdmin } from '../harness/admin/admin.ts';
import { plainName } from '../harness/events/examples.ts';
import { runs } from '../harness/property-runs.ts';

/** The verb that an actor needs to record an event of this type. */
function guardOf(type: string): Verb {
  if (type === 'ApiKeyCreated') return 'key:create';
  if (type === 'ApiKeyRevoked') return 'key:revoke';
  return 'config:write';
}

type Asked = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body: object | undefined;
}>;

const builtIn = fc.constantFrom('inference', 'operator', 'admin');
const verbs = fc.constantFrom(...verb.options);
const number = fc.integer({ min: 1, max: 4 });
const text = fc.constantFrom('a', 'b', 'c');

/**
 * Requests that would extend the rights of the caller or of others, and some other requests. `own`
 * names the caller's records.
 */
const requests = (own: { id: number; role: string }): fc.Arbitrary<Asked> => {
  const principal = fc.oneof(fc.constant(own.id), number);
  const role = fc.oneof(fc.constant(own.role), builtIn, text);
  const granted = fc.record({ verb: verbs, resource: fc.constantFrom('*', 'model/*') });
  const asked = (
    method: Asked['method'],
    path: fc.Arbitrary<string>,
    body: fc.Arbitrary<object | undefined> = fc.constant(undefined),
  ): fc.Arbitrary<Asked> => fc.record({ method: fc.constant(method), path, body });
  return fc.oneof(
    asked(
      'POST',
      principal.map((id) => `/admin/principals/${id}/roles`),
      fc.record({ role }),
    ),
    asked(
      'DELETE',
      fc.tuple(principal, role).map(([id, name]) => `/admin/principals/${id}/roles/${name}`),
    ),
    asked(
      'POST',
      role.map((name) => `/admin/roles/${name}/permissions`),
      granted,
    ),
    asked(
      'DELETE',
      role.map((name) => `/admin/roles/${name}/permissions`),
      granted,
    ),
    asked('POST', fc.constant('/admin/roles'), fc.record({ name: text })),
    asked(
      'PATCH',
      role.map((name) => `/admin/roles/${name}`),
      fc.record({ name: text }),
    ),
    asked(
      'POST',
      fc.constant('/admin/principals'),
      fc.record({ name: text, kind: fc.constant('service_account') }),
    ),
    asked(
      'DELETE',
      number.map((id) => `/admin/principals/${id + 1}`),
    ),
    asked('POST', fc.constant('/admin/keys'), fc.record({ name: text, principal_id: principal })),
    asked(
      'DELETE',
      number.map((id) => `/admin/keys/${id}`),
    ),
    asked(
      'PUT',
      principal.map((id) => `/admin/principals/${id}/limits`),
      fc.record({ requests_per_min: number }),
    ),
    asked(
      'DELETE',
      principal.map((id) => `/admin/principals/${id}/limits`),
    ),
    asked('POST', fc.constant('/admin/provider-models'), fc.record({ name: text })),
    asked(
      'DELETE',
      number.map((id) => `/admin/provider-models/${id}`),
    ),
    asked('POST', fc.constant('/admin/frontend-models'), fc.record({ name: text })),
    asked('PUT', fc.constant('/admin/fallback-model'), fc.record({ model_id: number })),
    asked('POST', fc.constant('/admin/snapshot/rebuild')),
    asked(
      'GET',
      fc.constantFrom('/admin/keys', '/admin/roles', '/admin/principals', '/admin/audit'),
    ),
  );
};

const operator: MutationContext = {
  actor: { kind: 'cli', principal_id: null },
  action: 'CLI',
  target: 'test',
  requestId: 'test',
  reason: null,
};

/** Creates a principal with a role of these verbs, and a session without the cost of a password. */
async function caller({ plane, admin }: TestAdmin, held: readonly Verb[], name: string) {
  const run = async (mutation: Mutation): Promise<ConfigState> => {
    const outcome = await plane.execute(mutation, operator);
    assert.ok(!isRefusal(outcome), JSON.stringify(outcome));
    return outcome.state;
  };
  const { principal } = await run({
    command: { type: 'CreatePrincipal', name: plainName(name), kind: 'user', emailRef: null },
  });
  const id: PrincipalId = principalId.parse(principal.lastId);
  await run({ command: { type: 'CreateRole', name, description: null } });
  for (const verb of held) {
    const resource = verb.endsWith(':invoke') ? verb.replace(':invoke', '/*') : '*';
    await run({ command: { type: 'GrantPermission', role: name, verb, resource } });
  }
  await run({ command: { type: 'GrantRole', id, role: name } });
  const secret = { ref: admin.needs.access.newId(), class: 'password', plaintext: 'none' } as const;
  await run({
    command: { type: 'SetPassword', id, passwordRef: secret.ref },
    secrets: [secret],
  });
  const cookie = await admin.needs.access.sessions.start({
    principalId: id,
    credentialRef: secret.ref,
  });
  return { id, role: name, cookie };
}

const rightsOf = (state: ConfigState): unknown =>
  [...state.principal.byId.keys()].map((id) => [
    id,
    [...(verbsOf(state, principalId.parse(id)) ?? [])].toSorted(),
  ]);

type Judged = { events: number };

/**
 * Checks every event after `before` against the verbs that its actor held immediately before the
 * command.
 */
async function assertGuarded(
  { plane }: TestAdmin,
  before: ConfigState,
  judged: Judged,
): Promise<ConfigState> {
  const events = await readEvents(plane.db, { after: before.position, limit: 10_000 });
  let state = before;
  for (const command of splitCommands(events).commands) {
    const { actor } = command[0].metadata;
    const held =
      actor.principal_id === null ? null : verbsOf(state, principalId.parse(actor.principal_id));
    for (const { type, metadata } of command) {
      if (metadata.actor.kind === 'cli' || type === 'NoChange') continue;
      judged.events += 1;
      assert.ok(held?.has(guardOf(type)), `${type} by one who holds ${[...(held ?? [])].join()}`);
    }
    state = fold(state, command);
  }
  return state;
}

/**
 * Every request is checked against all existing callers. A new control plane keeps their number
 * small.
 */
const runsOfPlane = 100;

it('no sequence by a role changes what the role has no right to', async (t) => {
  const judged: Judged = { events: 0 };
  const { numRuns } = runs(15);
  for (let done = 0; done < numRuns; done += runsOfPlane) {
    await t.test(`runs from ${done + 1}`, (part) =>
      judgeRuns(part, Math.min(runsOfPlane, numRuns - done), judged),
    );
  }
  assert.ok(judged.events > 0, 'some of the requests changed something');
});

async function judgeRuns(t: TestContext, numRuns: number, judged: Judged): Promise<void> {
  const started = await testAdmin(t);
  const { server } = started.admin;
  let state = started.plane.store.state();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.subarray([...verb.options]), fc.gen(), async (held, generate) => {
      count += 1;
      const own = await caller(started, held, `caller ${count}`);
      state = await assertGuarded(started, state, judged);
      const rights = rightsOf(state);
      for (let request = 0; request < 8; request++) {
        const { method, path, body } = generate(requests, own);
        const answer = await server.inject({
          method,
          url: encodeURI(path),
          headers: {
            cookie: `gw_session=${own.cookie}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
        });
        assert.ok(answer.statusCode < 500, `${method} ${path}: ${answer.body}`);
      }
      state = await assertGuarded(started, state, judged);
      if (!held.includes('config:write')) assert.deepEqual(rightsOf(state), rights);
    }),
    { numRuns },
  );
}
