// Tests properties of change requests over random orders of steps. No one approves as the author or
// with a login that the author gave. No approval covers a later edit. Only approved changes are
// applied. GW_TEST_RUNS sets the number of orders.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import * as fc from 'fast-check';

import type { GwEvent } from '../../events/catalogue.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { decideCalls } from '../../src/deciders/changes/changes.ts';
import { decide, isSingle } from '../../src/deciders/decide.ts';
import type { Command, SingleCommand } from '../../src/deciders/decide.ts';
import { mayWriteConfig } from '../../projections/config/grants.ts';
import { canonicalJson } from '../../src/lib/canonical-json.ts';
import {
  credentialGivers,
  credentialGiversThen,
} from '../../src/deciders/callers/credential-givers.ts';
import type { CredentialGiven } from '../../src/deciders/callers/credential-givers.ts';
import { changeRequestId, modelId, principalId } from '../../src/lib/ids.ts';
import { isRefusal } from '../../src/lib/refusal.ts';
import {
  administrators,
  draftOf,
  outcomeOf,
  passwordRefOf,
  person,
} from '../harness/admin/change-requests.ts';
import { commandSequence, logOf } from '../harness/events/commands.ts';
import { modelCreated } from '../harness/events/examples.ts';
import { append, emptyLog, testRef } from '../harness/events/test-log.ts';
import type { TestLog } from '../harness/events/test-log.ts';
import { runs } from '../harness/property-runs.ts';

const people = [2, 3, 4] as const;
const someone = fc.constantFrom(...people);
const request = fc.constantFrom(1, 2);
/** A price, or the password of a principal. */
const content = fc.oneof(
  fc.record({ price: fc.constantFrom(1, 2) }),
  fc.record({ passwordOf: someone }),
);
type Content = { price: number } | { passwordOf: number };

const step = fc.oneof(
  fc.record({ do: fc.constant('draft'), by: someone, content }),
  fc.record({ do: fc.constant('edit'), by: someone, request, content }),
  fc.record({ do: fc.constant('approve'), by: someone, request, isStale: fc.boolean() }),
  fc.record({ do: fc.constant('approve'), by: someone, request, isStale: fc.constant(false) }),
  fc.record({ do: fc.constantFrom('refuse', 'withdraw'), by: someone, request }),
  fc.record({ do: fc.constant('apply'), by: someone, request }),
  fc.record({ do: fc.constant('apply'), by: someone, request }),
  fc.record({ do: fc.constant('password'), by: someone, of: someone }),
  fc.record({ do: fc.constantFrom('grant', 'grant', 'revoke'), of: someone }),
  fc.record({ do: fc.constant('price'), price: fc.constantFrom(1, 2) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

type Drafted = Readonly<{ revision: number; commands: readonly SingleCommand[] }>;
type Given = Readonly<{ by: number; revision: number; events: string }>;
type Known = {
  author: number;
  /** The principals that could have been the author when it was drafted, and the time. */
  authors: ReadonlySet<number>;
  draftedAt: number;
  drafts: Drafted[];
  approvals: Given[];
  isOver: boolean;
};

/** An independent model of the steps: who drafted, gave and approved what. */
class World {
  log: TestLog = [...administrators(...people), modelCreated(1, 'a')].reduce(
    (log, event) => append(log, [event]),
    emptyLog,
  );
  readonly requests: Known[] = [];
  /** The password of each principal, and who may know it. */
  readonly passwords = new Map<number, { ref: string; known: ReadonlySet<number> }>(
    people.map((one) => [one, { ref: passwordRefOf(one), known: new Set([one]) }]),
  );
  /** The passwords according to the log. */
  readonly sets: CredentialGiven[] = [];
  revision = 0;

  get state(): ConfigState {
    return this.log.state;
  }

  /** True if the step was accepted. */
  run(command: Command): boolean {
    const decision = decide(this.state, command);
    if (isRefusal(decision)) return false;
    if (decision.length > 0) this.log = append(this.log, decision);
    return true;
  }

  drafted(of: Content): Drafted {
    this.revision += 1;
    const { revision } = this;
    const id = modelId.parse(1);
    const command: SingleCommand =
      'price' in of
        ? { type: 'UpdateModel', id, fields: { inputPricePerMtok: of.price } }
        : {
            type: 'SetPassword',
            id: principalId.parse(of.passwordOf),
            passwordRef: testRef(2000 + revision),
          };
    return { revision, commands: [command] };
  }

  /** Anyone who could have acted as `by` may know it, and so may its owner. */
  tellPassword({ of, ref, by }: Readonly<{ of: number; ref: string; by: number }>): void {
    const known = new Set([of, ...(this.passwords.get(by)?.known ?? [])]);
    this.passwords.set(of, { ref, known });
  }

  eventsOf({ commands }: Drafted): string {
    const unfolded = decideCalls(this.state, commands, decide);
    return isRefusal(unfolded) ? 'refused' : JSON.stringify(unfolded.events);
  }
}

const now = 1_000_000;

function take(world: World, one: Step): void {
  switch (one.do) {
    case 'draft':
      return draft(world, one);
    case 'edit':
      return edit(world, one);
    case 'approve':
      return approve(world, one);
    case 'apply':
      return apply(world, one);
    case 'refuse':
    case 'withdraw':
      return end(world, one);
    case 'password': {
      const passwordRef = testRef((world.revision += 1) + 3000);
      world.run({ type: 'SetPassword', id: principalId.parse(one.of), passwordRef });
      world.tellPassword({ of: one.of, ref: passwordRef, by: one.by });
      world.sets.push({
        kind: 'password',
        principalId: person(one.of),
        ref: passwordRef,
        actorId: person(one.by),
        requestId: null,
        at: world.log.head.recordedAt,
      });
      return;
    }
    case 'grant':
      world.run({ type: 'GrantRole', id: principalId.parse(one.of), role: 'admin' });
      return;
    case 'revoke':
      world.run({ type: 'RevokeRole', id: principalId.parse(one.of), role: 'admin' });
      return;
    case 'price': {
      const fields = { inputPricePerMtok: one.price };
      world.run({ type: 'UpdateModel', id: modelId.parse(1), fields });
    }
  }
}

type Of<Do extends Step['do']> = Extract<Step, { do: Do }>;

function draft(world: World, { by, content }: Of<'draft'>): void {
  if (world.requests.length === 2) return;
  const drafted = world.drafted(content);
  const draft = draftOf(drafted.commands, drafted.revision);
  const command = {
    type: 'DraftChangeRequest',
    by: principalId.parse(by),
    titleRef: testRef(1),
    draft,
  } as const;
  assert.ok(world.run(command));
  const began = { author: by, ...writtenBy(world, by) };
  world.requests.push({ ...began, drafts: [drafted], approvals: [], isOver: false });
}

const writtenBy = (world: World, by: number): Pick<Known, 'authors' | 'draftedAt'> => ({
  authors: world.passwords.get(by)?.known ?? new Set([by]),
  draftedAt: world.log.head.recordedAt,
});

function edit(world: World, { by, request, content }: Of<'edit'>): void {
  const known = world.requests[request - 1];
  if (known === undefined) return;
  const drafted = world.drafted(content);
  const isTaken = world.run({
    type: 'EditChangeRequest',
    id: changeRequestId.parse(request),
    by: principalId.parse(by),
    titleRef: null,
    draft: draftOf(drafted.commands, drafted.revision),
    now,
  });
  assert.equal(isTaken, !known.isOver && by === known.author);
  if (!isTaken) return;
  known.drafts.push(drafted);
  Object.assign(known, writtenBy(world, by));
}

function approve(world: World, { by, request, isStale }: Of<'approve'>): void {
  const known = world.requests[request - 1];
  const seen = isStale ? known?.drafts[0] : known?.drafts.at(-1);
  const password = world.passwords.get(by);
  if (known === undefined || seen === undefined || password === undefined) return;
  const { revision, commands } = seen;
  const { ref, digest } = draftOf(commands, revision);
  const id = principalId.parse(by);
  const credential = { principalId: id, refs: [password.ref] };
  const events = world.eventsOf(seen);
  const isTaken = world.run({
    type: 'ApproveChangeRequest',
    id: changeRequestId.parse(request),
    by: {
      principalId: id,
      credential: { ref: password.ref, givenBy: credentialGivers(asked(world), credential) },
      authorGivenBy: credentialGiversThen(asked(world), {
        principalId: person(known.author),
        at: known.draftedAt,
      }),
    },
    digest,
    outcome: outcomeOf(world.state, commands),
    body: { ref, commands },
    now,
  });
  const isFit =
    !known.isOver &&
    ![...known.authors].some((one) => password.known.has(one)) &&
    mayWriteConfig(world.state, id) &&
    seen === known.drafts.at(-1) &&
    events !== 'refused';
  assert.equal(isTaken, isFit);
  if (isTaken) known.approvals.push({ by, revision, events });
}

function apply(world: World, { by, request }: Of<'apply'>): void {
  const known = world.requests[request - 1];
  const drafted = known?.drafts.at(-1);
  if (known === undefined || drafted === undefined) return;
  const { revision, commands } = drafted;
  const events = world.eventsOf(drafted);
  const mayWrite = (one: number): boolean => mayWriteConfig(world.state, principalId.parse(one));
  // For each approver, the last approval counts.
  const last = new Map(known.approvals.map((given) => [given.by, given]));
  const isCovered = [...last.values()].some(
    (given) => given.revision === revision && given.events === events && mayWrite(given.by),
  );
  const isFit = !known.isOver && isCovered && mayWrite(known.author);
  const isTaken = world.run({
    type: 'ApplyChangeRequest',
    id: changeRequestId.parse(request),
    by: principalId.parse(by),
    body: { ref: draftOf(commands, revision).ref, commands },
    now,
  });
  assert.equal(isTaken, isFit);
  if (!isTaken) return;
  known.isOver = true;
  const made = world.log.commands.at(-1) ?? [];
  assert.deepEqual(made[0]?.type, 'ChangeRequestApplied');
  for (const event of made) noteGiver(world, event, { author: known.author, request });
}

const asked = (world: World) => ({
  given: world.sets,
  authorOf: (id: number) => person(world.requests[id - 1]?.author ?? 0),
});

type Writer = Readonly<{ author: number; request: number }>;

function noteGiver(world: World, { type, data }: GwEvent, { author, request }: Writer): void {
  if (type !== 'PrincipalPasswordSet') return;
  const { id: principalId, password_ref: ref } = data;
  world.tellPassword({ of: principalId, ref, by: author });
  const at = world.log.head.recordedAt;
  const requestId = changeRequestId.parse(request);
  world.sets.push({ principalId, kind: 'password', ref, actorId: null, requestId, at });
}

function end(world: World, { do: does, by, request }: Of<'refuse' | 'withdraw'>): void {
  const known = world.requests[request - 1];
  if (known === undefined) return;
  const type = does === 'refuse' ? 'RefuseChangeRequest' : 'WithdrawChangeRequest';
  const id = changeRequestId.parse(request);
  const isTaken = world.run({ type, id, by: principalId.parse(by) });
  const isOwn = by === known.author;
  assert.equal(isTaken, !known.isOver && (does === 'withdraw' ? isOwn : !isOwn));
  if (isTaken) known.isOver = true;
}

it('in every order of steps, what is applied was approved as it is, by one who may, and else it is not', () => {
  fc.assert(
    fc.property(content, fc.array(step, { maxLength: 40, size: 'max' }), (content, steps) => {
      const world = new World();
      draft(world, { do: 'draft', by: 2, content });
      for (const one of steps) take(world, one);
    }),
    runs(150),
  );
});

it('what a draft keeps as JSON is decided as it was', () => {
  fc.assert(
    fc.property(commandSequence(30), (commands) => {
      const { state } = logOf(commands);
      for (const command of commands.filter(isSingle)) {
        const kept: SingleCommand = JSON.parse(JSON.stringify(command));
        assert.equal(canonicalJson(decide(state, kept)), canonicalJson(decide(state, command)));
      }
    }),
    runs(60),
  );
});
