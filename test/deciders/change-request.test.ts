// Tests change requests: who may do which step, what an approval covers, and what is applied.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import { outcomeDigest } from '../../events/change-request.ts';
import { openRequestsMax, requestAgeMaxMs } from '../../src/deciders/changes/change-request.ts';
import type { Command, SingleCommand } from '../../src/deciders/decide.ts';
import { changeRequestId, modelId } from '../../src/lib/ids.ts';
import {
  administrators,
  draftOf,
  outcomeOf,
  passwordSet,
  person,
  requestOne,
  reviewer,
} from '../harness/admin/change-requests.ts';
import { keyCreated, modelCreated, roleRevoked } from '../harness/events/examples.ts';
import { given, testRef } from '../harness/events/test-log.ts';

const rename: SingleCommand = {
  type: 'UpdateModel',
  id: modelId.parse(1),
  fields: { name: 'b' },
};
const renamed: GwEvent = {
  stream: 'model-1',
  type: 'ModelRenamed',
  data: { id: modelId.parse(1), name: 'b' },
};
const stream = 'change_request-1';
const draft = draftOf([rename]);
const { ref, digest, calls, commands } = draft;
const stored = { body_ref: ref, digest, calls, kinds: ['models'], event_count: 1 } as const;
const title = testRef(700);

/** Principals 2, 3 and 4 may approve; 2 has drafted a request to rename model 1. */
const before = [...administrators(2, 3, 4), modelCreated(1, 'a')];
const draftedAs = (number: number): GwEvent => ({
  stream: `change_request-${number}`,
  type: 'ChangeRequestDrafted',
  data: {
    id: changeRequestId.parse(number),
    author_id: person(2),
    title_ref: title,
    draft: stored,
  },
});
const drafted = draftedAs(1);
const approvedBy = (number: number): GwEvent => ({
  stream,
  type: 'ChangeRequestApproved',
  data: { id: requestOne, by: person(number), digest, outcome: [outcomeDigest([renamed])] },
});
const open = [...before, drafted];
const approved = [...open, approvedBy(3)];
const outcome = outcomeOf(given(open).state, commands);
const now = 1_000_000;
const body = { ref, commands };

const step = <Type extends 'RefuseChangeRequest' | 'WithdrawChangeRequest'>(
  type: Type,
  by: number,
) => ({ type, id: requestOne, by: person(by) }) as const;
type Approve = Extract<Command, { type: 'ApproveChangeRequest' }>;
const approve = (by: number, change: Partial<Approve> = {}): Command => ({
  type: 'ApproveChangeRequest',
  id: requestOne,
  by: reviewer(by),
  digest,
  outcome,
  body,
  now,
  ...change,
});
const apply = (by: number | null = 3, at = now): Command => ({
  type: 'ApplyChangeRequest',
  id: requestOne,
  by: by === null ? null : person(by),
  body,
  now: at,
});
const applied = (by: number | null = 3): GwEvent => ({
  stream,
  type: 'ChangeRequestApplied',
  data: { id: requestOne, by: by === null ? null : person(by) },
});

const credential = (makers: readonly number[]) => ({
  ref: testRef(901),
  givenBy: makers.map(person),
});
const scheduled = (apply_at: string | null): GwEvent => ({
  stream,
  type: 'ChangeRequestScheduled',
  data: { id: requestOne, by: person(2), apply_at },
});
const madeBy = (by: number | null): GwEvent => ({
  stream,
  type: 'ChangeMadeUnapproved',
  data: {
    id: requestOne,
    by: by === null ? null : person(by),
    why_ref: title,
    kinds: ['models'],
    event_count: 1,
  },
});
const review = (by: number, givenBy: readonly number[] = []): Command => ({
  type: 'ReviewChange',
  id: requestOne,
  by: reviewer(by, givenBy),
});
const reviewedBy = (by: number): GwEvent => ({
  stream,
  type: 'ChangeReviewed',
  data: { id: requestOne, by: person(by) },
});

const byKeyOf = (makers: readonly number[]) =>
  approve(3, {
    by: { principalId: person(3), credential: credential(makers), authorGivenBy: [] },
  });

describe('a change request', () => {
  it('holds of its calls no more than where they go, what they touch and a digest', () => {
    given(before)
      .when({ type: 'DraftChangeRequest', by: person(2), titleRef: title, draft })
      .yields([drafted]);
  });

  it('is not drafted when its calls are refused, which is told by their place', () => {
    const again: SingleCommand = { type: 'CreateModel', name: 'b', fields: {} };
    given(before)
      .when({
        type: 'DraftChangeRequest',
        by: person(2),
        titleRef: title,
        draft: { ...draft, commands: [rename, again] },
      })
      .refuses('conflict', /^calls\.1: model b exists$/, 'calls.1');
  });

  it('is rejected when the maximum number of open requests is reached', () => {
    const many = Array.from({ length: openRequestsMax }, (_, index) => draftedAs(index + 1));
    given([...before, ...many])
      .when({ type: 'DraftChangeRequest', by: person(2), titleRef: title, draft })
      .refuses('conflict', /200 change requests are open; the maximum is 200/);
  });

  it('is edited by its author alone, and is approved no more then', () => {
    const next = draftOf([{ ...rename, fields: { name: 'c' } }], 2);
    const edit = {
      type: 'EditChangeRequest',
      id: requestOne,
      titleRef: null,
      draft: next,
      now,
    } as const;
    const data = {
      id: requestOne,
      title_ref: title,
      draft: { ...stored, body_ref: next.ref, digest: next.digest, calls: next.calls },
    };
    const edited: GwEvent = { stream, type: 'ChangeRequestEdited', data };
    given(approved)
      .when({ ...edit, by: person(2) })
      .yields([edited]);
    given(approved)
      .when({ ...edit, by: person(3) })
      .refuses('forbidden', /only the author can edit/);
    const { state } = given([...approved, edited]);
    const held = state.change_request.byId.get(1);
    assert.deepEqual([held?.state, held?.approvals], ['open', []]);
    given([...approved, edited])
      .when(apply())
      .refuses('conflict', /was edited in the meantime/, 'body');
    given([...approved, edited])
      .when(approve(3))
      .refuses('conflict', /digest d1 is not/, 'digest');
  });

  it('is refused by another, withdrawn by its author, and ends with either', () => {
    const refused: GwEvent = {
      stream,
      type: 'ChangeRequestRefused',
      data: { id: requestOne, by: person(3) },
    };
    const withdrawn: GwEvent = {
      stream,
      type: 'ChangeRequestWithdrawn',
      data: { id: requestOne, by: person(2) },
    };
    given(approved).when(step('RefuseChangeRequest', 3)).yields([refused]);
    given(approved).when(step('WithdrawChangeRequest', 2)).yields([withdrawn]);
    given(open)
      .when(step('RefuseChangeRequest', 2))
      .refuses('conflict', /withdraw it/);
    given(open)
      .when(step('WithdrawChangeRequest', 3))
      .refuses('forbidden', /only the author can/);
    for (const end of [refused, withdrawn]) {
      given([...approved, end])
        .when(apply())
        .refuses('conflict', /change request 1 is (refused|withdrawn)/);
      given([...approved, end])
        .when(approve(4))
        .refuses('conflict', /change request 1 is/);
    }
  });

  it('expires at its maximum age, and cannot be applied even before the sweep', () => {
    const late = given(open).state.position * 1000 + requestAgeMaxMs;
    const expired: GwEvent = { stream, type: 'ChangeRequestExpired', data: { id: requestOne } };
    given(open).when({ type: 'ExpireChangeRequest', id: requestOne, now: late }).yields([expired]);
    given(open).when({ type: 'ExpireChangeRequest', id: requestOne, now }).yields([]);
    given(approved)
      .when(apply(3, late))
      .refuses('conflict', /is too old/);
    given(open)
      .when(approve(3, { now: late }))
      .refuses('conflict', /is too old/);
  });
});

describe('an approval', () => {
  it('covers the digest that was shown and what the calls come to', () => {
    given(open)
      .when(approve(3))
      .yields([approvedBy(3)]);
    given(approved).when(approve(3)).yields([]);
    const other = approve(3, { outcome: '0'.repeat(64) });
    given(open)
      .when(other)
      .refuses('conflict', /differs from the current result of the calls/, 'outcome');
  });

  it('is not given by the author, nor by a login that the author gave', () => {
    given(open)
      .when(approve(2))
      .refuses('forbidden', /your own change/);
    given(open)
      .when(approve(3, { by: reviewer(3, [2]) }))
      .refuses('forbidden', /gave you your credential/);
    given(open)
      .when(approve(3, { by: reviewer(3, [4]) }))
      .yields([approvedBy(3)]);
  });

  it('is not given by a key that the author made', () => {
    const withKey = [...open, keyCreated(1, 3)];
    given(withKey)
      .when(byKeyOf([2]))
      .refuses('forbidden', /gave you your credential/);
    given(withKey)
      .when(byKeyOf([3]))
      .yields([approvedBy(3)]);
    given(open)
      .when(byKeyOf([3]))
      .refuses('conflict', /credential was replaced/);
  });

  it('needs the right to write the configuration, now, and the credential that is valid now', () => {
    given([...open, roleRevoked(3, 1)])
      .when(approve(3))
      .refuses('forbidden', /requires config:write/);
    given([...open, passwordSet(3, testRef(999))])
      .when(approve(3))
      .refuses('conflict', /credential was replaced/);
  });
});

describe('applying', () => {
  it('makes the calls in one decision with the event that says so', () => {
    given(approved).when(apply()).yields([applied(), renamed]);
    given(approved)
      .when(apply(2))
      .yields([applied(2), renamed]);
  });

  it('needs an approval', () => {
    given(open)
      .when(apply())
      .refuses('conflict', /is not approved/, 'approvals');
  });

  it('is refused when the calls come to something else than what was approved, and names the call', () => {
    given([
      ...approved,
      { stream: 'model-1', type: 'ModelRenamed', data: { id: modelId.parse(1), name: 'b' } },
    ])
      .when(apply())
      .refuses('conflict', /^calls\.0: POST \/admin\/UpdateModel no longer produces/, 'calls.0');
    given([...approved, modelCreated(2, 'b')])
      .when(apply())
      .refuses('conflict', /^calls\.0: .*b exists.*has changed since the approval/, 'calls.0');
  });

  it('asks whether its author and one who approved it may still write the configuration', () => {
    given([...approved, roleRevoked(2, 1)])
      .when(apply())
      .refuses('conflict', /the author/, 'author');
    given([...approved, roleRevoked(3, 1)])
      .when(apply(4))
      .refuses('conflict', /every approver was deleted/, 'approvals');
    given([...approved, approvedBy(4), roleRevoked(3, 1)])
      .when(apply(4))
      .yields([applied(4), renamed]);
  });

  it('by itself comes at the time that it was scheduled for, not before', () => {
    const at = (applyAt: number | null): Command => ({
      type: 'ScheduleChangeRequest',
      id: requestOne,
      by: person(2),
      applyAt,
      now,
    });
    const due = scheduled('1970-01-01T00:16:41.000Z');
    given(approved)
      .when(at(now + 1000))
      .yields([due]);
    given([...approved, due])
      .when(at(null))
      .yields([scheduled(null)]);
    given(approved)
      .when(at(now))
      .refuses('invalid', /^at: must be between/, 'at');
    given(open)
      .when(at(now + 1000))
      .refuses('conflict', /is not approved/);
    given([...approved, due])
      .when(apply(null))
      .refuses('conflict', /is not due/);
    const then = apply(null, now + 1000);
    given([...approved, due])
      .when(then)
      .yields([applied(null), renamed]);
  });

  it('that fails when it is due is due no more, and needs another approval', () => {
    const due: GwEvent = {
      stream,
      type: 'ChangeRequestScheduled',
      data: { id: requestOne, by: person(2), apply_at: '1970-01-01T00:00:10.000Z' },
    };
    const fail: Command = {
      type: 'FailChangeRequest',
      id: requestOne,
      cause: 'calls',
      messageRef: testRef(701),
      now,
    };
    const failed: GwEvent = {
      stream,
      type: 'ChangeRequestFailed',
      data: { id: requestOne, cause: 'calls', message_ref: testRef(701) },
    };
    given([...approved, due])
      .when(fail)
      .yields([failed]);
    given(approved).when(fail).yields([]);
    const held = given([...approved, due, failed]).state.change_request.byId.get(1);
    assert.deepEqual([held?.state, held?.approvals, held?.applyAt], ['open', [], null]);
    assert.equal(held?.failure?.cause, 'calls');
  });
});

describe('a review', () => {
  const made = madeBy(2);

  it('can be given by anyone who could have approved the change', () => {
    given([...before, made])
      .when(review(3))
      .yields([reviewedBy(3)]);
    given([...before, made])
      .when(review(2))
      .refuses('forbidden', /your own change/);
    given([...before, made])
      .when(review(3, [2]))
      .refuses('forbidden', /gave you your credential/);
    given([...before, made, reviewedBy(3)])
      .when(review(4))
      .yields([]);
    given(open)
      .when(review(3))
      .refuses('conflict', /does not need a review/);
    given([...before, made])
      .when(apply())
      .refuses('conflict', /is review_due/);
  });

  it('of a change at the command line is given by any administrator', () => {
    given([...before, madeBy(null)])
      .when(review(2))
      .yields([reviewedBy(2)]);
  });
});
