// Generates random commands on change requests. Requests of two administrators exist from the
// start. The drafts contain no calls, so that their outcome is known in advance.

import * as fc from 'fast-check';

import { failureCause } from '../../../events/change-request.ts';
import { outcomeText } from '../../../src/deciders/changes/change-apply.ts';
import type { Command } from '../../../src/deciders/decide.ts';
import { changeRequestId, principalId } from '../../../src/lib/ids.ts';
import { changeKind } from '../../../src/lib/vocabulary.ts';
import { draftOf } from '../admin/change-requests.ts';
import { plainName } from './examples.ts';
import { testRef } from './test-log.ts';

type Of<Type extends Command['type']> = fc.Arbitrary<Extract<Command, { type: Type }>>;

const id = fc.integer({ min: 1, max: 4 }).map((number) => changeRequestId.parse(number));
const by = fc.constantFrom(2, 3).map((number) => principalId.parse(number));
const draft = draftOf([]);
const titleRef = fc.constant(testRef(31));
const outcome = outcomeText([]).text;
const body = fc.constant({ ref: draft.ref, commands: [] });
const soon = 10_000_000;
const now = fc.constantFrom(soon, soon * 10);
/** Reviewers with their first passwords, which no other principal set. */
const reviewer = by.map((one) => ({
  principalId: one,
  credential: { ref: testRef(30 + one), givenBy: [] },
  authorGivenBy: [],
}));

export const requestCommands = [
  fc.record({
    type: fc.constant('SetChangePolicy'),
    kinds: fc.subarray(changeKind.options, { maxLength: 3 }),
  }) satisfies Of<'SetChangePolicy'>,
  fc.record({
    type: fc.constant('DraftChangeRequest'),
    by,
    titleRef,
    draft: fc.constant(draft),
  }) satisfies Of<'DraftChangeRequest'>,
  fc.record({
    type: fc.constant('EditChangeRequest'),
    id,
    by,
    titleRef,
    draft: fc.constant(draft),
    now,
  }) satisfies Of<'EditChangeRequest'>,
  fc.record({
    type: fc.constant('ApproveChangeRequest'),
    id,
    by: reviewer,
    digest: fc.constant(draft.digest),
    outcome: fc.constant(outcome),
    body,
    now,
  }) satisfies Of<'ApproveChangeRequest'>,
  fc.record({
    type: fc.constant('RefuseChangeRequest'),
    id,
    by,
  }) satisfies Of<'RefuseChangeRequest'>,
  fc.record({
    type: fc.constant('WithdrawChangeRequest'),
    id,
    by,
  }) satisfies Of<'WithdrawChangeRequest'>,
  fc.record({
    type: fc.constant('ScheduleChangeRequest'),
    id,
    by,
    applyAt: fc.option(fc.constant(soon * 2), { nil: null }),
    now: fc.constant(soon),
  }) satisfies Of<'ScheduleChangeRequest'>,
  fc.record({
    type: fc.constant('ApplyChangeRequest'),
    id,
    by: fc.option(by, { nil: null }),
    body,
    now,
  }) satisfies Of<'ApplyChangeRequest'>,
  fc.record({
    type: fc.constant('FailChangeRequest'),
    id,
    cause: fc.constantFrom(...failureCause.options),
    messageRef: titleRef,
    now: fc.constant(soon * 10),
  }) satisfies Of<'FailChangeRequest'>,
  fc.record({
    type: fc.constant('ExpireChangeRequest'),
    id,
    now: fc.constant(Number.MAX_SAFE_INTEGER),
  }) satisfies Of<'ExpireChangeRequest'>,
  fc.record({ type: fc.constant('ReviewChange'), id, by: reviewer }) satisfies Of<'ReviewChange'>,
];

const administrator = (number: 2 | 3): Command[] => {
  const one = principalId.parse(number);
  return [
    { type: 'CreatePrincipal', name: plainName(`p${number}`), kind: 'user', emailRef: null },
    { type: 'GrantRole', id: one, role: 'admin' },
    { type: 'SetPassword', id: one, passwordRef: testRef(30 + number) },
  ];
};
const drafted = (number: 2 | 3): Command => ({
  type: 'DraftChangeRequest',
  by: principalId.parse(number),
  titleRef: testRef(31),
  draft,
});

const one = changeRequestId.parse(1);

/** After this prelude, setting limits requires an approval or a reason. */
export const requestPrelude: readonly Command[] = [
  ...administrator(2),
  ...administrator(3),
  { type: 'SetChangePolicy', kinds: ['limits'] },
  drafted(2),
  drafted(3),
  {
    type: 'ApproveChangeRequest',
    id: one,
    by: {
      principalId: principalId.parse(3),
      credential: { ref: testRef(33), givenBy: [] },
      authorGivenBy: [],
    },
    digest: draft.digest,
    outcome,
    body: { ref: draft.ref, commands: [] },
    now: soon,
  },
  {
    type: 'ScheduleChangeRequest',
    id: one,
    by: principalId.parse(2),
    applyAt: soon * 2,
    now: soon,
  },
];
