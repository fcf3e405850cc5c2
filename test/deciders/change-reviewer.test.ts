// Tests who may review a change, depending on who gave whom their password.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import { refuseReviewer, someMayReview } from '../../src/deciders/changes/change-reviewer.ts';
import { administrators, person, reviewer } from '../harness/admin/change-requests.ts';
import { given } from '../harness/events/test-log.ts';

const { state } = given(administrators(2, 3, 4));

/** A change by principal 2, reviewed by 3: the givers of the passwords of 3 and of 2. */
const cases: readonly (readonly [string, readonly number[], readonly number[], RegExp | null])[] = [
  ['no one gave theirs', [], [], null],
  ['others gave theirs', [4], [5], null],
  ['the author gave theirs', [2], [], /^the author of this change gave you your credential/],
  ['who gave the author theirs', [], [3], /^you gave the author of this change their credential/],
  ['one gave both of them theirs', [4], [5, 4], /^the same principal gave you and/],
];

for (const [what, own, author, message] of cases) {
  it(`a reviewer where ${what} is ${message === null ? 'one' : 'none'}`, () => {
    const refusal = refuseReviewer(state, { authorId: person(2) }, reviewer(3, own, author));
    if (message === null) assert.equal(refusal, null);
    else assert.match(`${refusal?.message}`, message);
    const administrators = [
      { id: person(2), givenBy: new Set(author.map(person)) },
      { id: person(3), givenBy: new Set(own.map(person)) },
    ];
    assert.equal(someMayReview(administrators), message === null, 'of the two alone');
    const third = { id: person(9), givenBy: new Set([person(8)]) };
    assert.ok(someMayReview([...administrators, third]), 'a third one may');
  });
}
