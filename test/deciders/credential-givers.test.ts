// Tests who may know a password or an identity, case by case.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import {
  credentialGivers,
  credentialGiversThen,
} from '../../src/deciders/callers/credential-givers.ts';
import type { CredentialGiven } from '../../src/deciders/callers/credential-givers.ts';
import { requestOne, person } from '../harness/admin/change-requests.ts';

const [ada, bob, cy] = [person(2), person(3), person(4)];

const set = (of: typeof ada, by: typeof ada | null, ref = 'old'): CredentialGiven => ({
  principalId: of,
  kind: 'password',
  ref,
  actorId: by,
  requestId: null,
  at: 0,
});

/** The givers of bob's password `now`; ada wrote the only change request. */
const cases: readonly (readonly [string, readonly CredentialGiven[], readonly number[]])[] = [
  ['set at the command line: no one', [set(bob, null, 'now')], []],
  ['set by another: that one', [set(bob, ada, 'now')], [ada]],
  [
    'set by oneself over one that another set: still that one',
    [set(bob, ada), set(bob, bob, 'now')],
    [ada],
  ],
  [
    'set by oneself over one from the command line: no one',
    [set(bob, null), set(bob, bob, 'now')],
    [],
  ],
  ['set by one whose own another set: both', [set(cy, ada), set(bob, cy, 'now')], [cy, ada]],
  [
    'set by one whose own was another then: that one alone',
    [set(cy, ada), set(cy, null), set(bob, cy, 'now')],
    [cy],
  ],
  ['replaced by another: only that one', [set(bob, ada), set(bob, cy, 'now')], [cy]],
  ['of a change request: its author', [{ ...set(bob, cy, 'now'), requestId: requestOne }], [ada]],
  ['of another principal, or an older one: no one', [set(cy, ada, 'now'), set(bob, ada)], []],
];

const token = (of: typeof ada, by: typeof ada, { at = 0, until = 100 } = {}): CredentialGiven => ({
  ...set(of, by, `token of ${by}`),
  kind: 'token',
  at,
  until,
});

it('an admin token lets its giver act as the principal until it ends', () => {
  const asked = { given: [token(bob, ada, { at: 10, until: 20 })], authorOf: () => null };
  const given = (at: number) => credentialGiversThen(asked, { principalId: bob, at });
  assert.deepEqual([given(5), given(15), given(25)], [[], [ada], []]);
});

it('a password set by oneself was perhaps set by the giver of an admin token that worked then', () => {
  const then = (at: number) =>
    credentialGivers(
      {
        given: [token(bob, ada, { at: 10, until: 20 }), { ...set(bob, bob, 'now'), at }],
        authorOf: () => null,
      },
      { principalId: bob, refs: ['now'] },
    );
  assert.deepEqual([then(15), then(25)], [[ada], []]);
});

it('one of several admin tokens does not replace another', () => {
  const given = [token(bob, ada), token(bob, cy)];
  const found = credentialGiversThen({ given, authorOf: () => null }, { principalId: bob, at: 50 });
  assert.deepEqual(found, [ada, cy]);
});

for (const [what, sets, givers] of cases) {
  it(`a password ${what}`, () => {
    const found = credentialGivers(
      { given: sets, authorOf: () => ada },
      { principalId: bob, refs: ['now'] },
    );
    assert.deepEqual(found, givers);
  });
}

it('a password that somebody had then was given by who set it until then', () => {
  const sets = [
    { ...set(bob, ada), at: 10 },
    { ...set(bob, cy, 'now'), at: 20 },
  ];
  const givers = (at: number) =>
    credentialGiversThen({ given: sets, authorOf: () => null }, { principalId: bob, at });
  assert.deepEqual([9, 10, 19, 20].map(givers), [[], [ada], [ada], [cy]]);
});
