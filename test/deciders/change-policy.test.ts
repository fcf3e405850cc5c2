// Tests the change policy: which changes it stops and which it allows.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { decideUnderPolicy } from '../../src/deciders/changes/change-policy.ts';
import type { ChangeMaker } from '../../src/deciders/changes/change-policy.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { apiKeyId, modelId } from '../../src/lib/ids.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import { changeKind } from '../../src/lib/vocabulary.ts';
import type { ChangeKind } from '../../src/lib/vocabulary.ts';
import { administrators, person, requestOne } from '../harness/admin/change-requests.ts';
import { keyCreated, modelCreated } from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

const policy = (...kinds: readonly ChangeKind[]): GwEvent => ({
  stream: 'settings-1',
  type: 'ChangePolicySet',
  data: { kinds },
});
const before = [...administrators(2, 3), modelCreated(1, 'a'), keyCreated(1, 3)];
const boss: ChangeMaker = { kind: 'session', principalId: person(2), whyRef: null };

const rename: Command = { type: 'UpdateModel', id: modelId.parse(1), fields: { name: 'b' } };
const price: Command = {
  type: 'UpdateModel',
  id: modelId.parse(1),
  fields: { inputPricePerMtok: 5 },
};

/** The message of a refusal, else the types of the events. */
function under(kinds: readonly ChangeKind[], command: Command, maker: ChangeMaker = boss) {
  const { state } = given([...before, policy(...kinds)]);
  const decision = decideUnderPolicy(state, command, maker);
  if (!isRefusal(decision)) return decision.map(({ type }) => type).join();
  return `${decision.refused}: ${decision.message}`;
}

const password = (of: number): Command => ({
  type: 'SetPassword',
  id: person(of),
  passwordRef: testRef(42),
});

describe('under a change policy', () => {
  it('a change of a kind that it names is refused, with what to do', () => {
    assert.equal(
      under(['models', 'prices'], rename),
      'approval_required: changes of models need an approved change request: draft one at ' +
        '/admin/change-requests, or send x-gw-break-glass with a reason, which requires a review afterwards',
    );
    assert.match(under(['prices'], price), /^approval_required: changes of prices /);
  });

  it('a change of another kind is made, and without a policy every one is', () => {
    assert.equal(under(['prices'], rename), 'ModelRenamed');
    assert.equal(under([], rename), 'ModelRenamed');
    assert.equal(under([], { type: 'SetChangePolicy', kinds: ['keys'] }), 'ChangePolicySet');
  });

  it('the policy itself needs an approval', () => {
    const end: Command = { type: 'SetChangePolicy', kinds: [] };
    assert.match(under(['prices'], end), /^approval_required: changes of policy /);
  });

  it('stops changes from the command line and by key like those of a session', () => {
    const cli: ChangeMaker = { kind: 'cli', principalId: null, whyRef: null };
    const key: ChangeMaker = { kind: 'api_key', principalId: person(2), whyRef: null };
    for (const maker of [cli, key]) {
      assert.match(under(['models'], rename, maker), /^approval_required/);
      const parts: Command = { type: 'ApplyChanges', commands: [], events: [] };
      assert.equal(under(['models'], parts, maker), '');
    }
  });

  it('what the program does by itself is made', () => {
    for (const kind of ['system', 'agent'] as const) {
      const maker: ChangeMaker = { kind, principalId: null, whyRef: null };
      assert.equal(under(changeKind.options, rename, maker), 'ModelRenamed');
    }
  });

  it('a key is revoked at once, and people change their own password', () => {
    const all = changeKind.options;
    const revoke: Command = { type: 'RevokeApiKey', id: apiKeyId.parse(1) };
    assert.equal(under(all, revoke), 'ApiKeyRevoked');
    assert.match(under(all, password(2)), /PrincipalPasswordSet/);
    assert.match(under(all, password(3)), /^approval_required: changes of access /);
  });

  it('a change with a reason to break the glass is made, and demands a review', () => {
    const { state } = given([...before, policy('models')]);
    const decision = decideUnderPolicy(state, rename, { ...boss, whyRef: testRef(7) });
    assert.ok(!isRefusal(decision));
    assert.deepEqual(decision.at(-1), {
      stream: 'change_request-1',
      type: 'ChangeMadeUnapproved',
      data: {
        id: requestOne,
        by: person(2),
        why_ref: testRef(7),
        kinds: ['models'],
        event_count: 1,
      },
    });
    assert.equal(under(['prices'], rename, { ...boss, whyRef: testRef(7) }), 'ModelRenamed');
  });
});

describe('a change policy', () => {
  it('is a set, and needs two who could approve', () => {
    given(before)
      .when({ type: 'SetChangePolicy', kinds: ['routing', 'keys', 'keys'] })
      .yields([policy('keys', 'routing')]);
    given([...before, policy('keys', 'routing')])
      .when({ type: 'SetChangePolicy', kinds: ['routing', 'keys'] })
      .yields([]);
    given(administrators(2))
      .when({ type: 'SetChangePolicy', kinds: ['keys'] })
      .refuses('conflict', /two principals with a login and config:write; found 1/, 'kinds');
  });
});
