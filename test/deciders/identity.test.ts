// Tests single sign-on: which principal an identity signs in as, and which roles the principal then
// has.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as fc from 'fast-check';

import type { ConfigState } from '../../projections/config/state.ts';
import { decide } from '../../src/deciders/decide.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { credentialGivers } from '../../src/deciders/callers/credential-givers.ts';
import { principalId } from '../../src/lib/ids.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { person } from '../harness/admin/change-requests.ts';
import {
  plainName,
  principalCreated,
  roleCreated,
  vaultedName,
} from '../harness/events/examples.ts';
import { append, emptyLog, testRef } from '../harness/events/test-log.ts';
import type { TestLog } from '../harness/events/test-log.ts';
import { runs } from '../harness/property-runs.ts';

const ada = principalId.parse(1);
const identity = { issuer: 'https://id.example', ref: testRef(7), fingerprint: 'ada' };
const names = ['a', 'b', 'c'] as const;

const begun = append(emptyLog, [
  ...names.map((name, index) => roleCreated(index + 1, name)),
  principalCreated(1, vaultedName('ada', 1)),
  principalCreated(2, plainName('ci')),
]);

/** The log after the command; unchanged if it was refused. */
function after(log: TestLog, command: Command): TestLog {
  const decision = decide(log.state, command);
  return isRefusal(decision) || decision.length === 0 ? log : append(log, decision);
}

const admitted = (
  roles: readonly string[],
  first = { kind: 'link', id: ada } as const,
): Command => ({
  type: 'AdmitIdentity',
  identity,
  first,
  roles,
});

const rolesOf = (state: ConfigState): readonly string[] =>
  (state.principal.byId.get(ada)?.roleIds ?? []).map((id) => names[id - 1] ?? '');

describe('the roles of a principal after a login', () => {
  it('are those given by hand and those of its groups, whatever came before', () => {
    const role = fc.constantFrom(...names);
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('GrantRole', 'RevokeRole'), role }),
      fc.record({ kind: fc.constant('login' as const), mapped: fc.uniqueArray(role) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.uniqueArray(role), (steps, last) => {
        const byHand = new Set<string>();
        let log = begun;
        for (const one of steps) {
          if ('mapped' in one) {
            log = after(log, admitted(one.mapped));
            continue;
          }
          log = after(log, { type: one.kind, id: ada, role: one.role });
          if (one.kind === 'GrantRole') byHand.add(one.role);
          else byHand.delete(one.role);
        }
        log = after(log, admitted(last));
        const expected = [...new Set([...byHand, ...last])].toSorted();
        assert.deepEqual(rolesOf(log.state), expected);
        assert.deepEqual(decide(log.state, admitted(last)), []);
        log = after(log, { type: 'UnlinkIdentity', id: ada });
        assert.deepEqual(rolesOf(log.state), [...byHand].toSorted());
      }),
      runs(60),
    );
  });

  it('are none for a role that does not exist', () => {
    assert.deepEqual(rolesOf(after(begun, admitted(['no-such', 'b'])).state), ['b']);
  });
});

const refused = (log: TestLog, command: Command): string => {
  const decision = decide(log.state, command);
  assert.ok(isRefusal(decision));
  return decision.refused;
};

const base = { type: 'AdmitIdentity', identity, roles: [] } as const;

describe('an identity', () => {
  it("that no principal has is admitted only by the operator's rule", () => {
    assert.equal(refused(begun, { ...base, first: { kind: 'refuse' } }), 'forbidden');
    assert.equal(refused(begun, { ...base, first: { kind: 'link', id: person(2) } }), 'conflict');
    const taken = { kind: 'create', name: vaultedName('ada', 3), emailRef: null } as const;
    assert.equal(refused(begun, { ...base, first: taken }), 'conflict');
  });

  it('takes no principal that has another one', () => {
    const other = { ...identity, ref: testRef(8), fingerprint: 'eve' };
    const first = { kind: 'link', id: ada } as const;
    const log = after(begun, admitted([]));
    assert.equal(refused(log, { ...base, identity: other, first }), 'conflict');
  });
});

it('who wrote what an identity was linked by could have come by it, and a password does not undo that', () => {
  const row = { kind: 'identity', ref: 'id', requestId: null, at: 0 } as const;
  const [boss, other] = [person(3), person(4)];
  const given = [
    { ...row, principalId: ada, actorId: boss },
    { ...row, principalId: ada, actorId: other },
    { ...row, kind: 'password', ref: 'new', principalId: ada, actorId: null } as const,
  ];
  const asked = { given, authorOf: () => null };
  const givers = credentialGivers(asked, { principalId: ada, refs: ['new', 'id'] });
  assert.deepEqual(givers, [boss, other]);
});
