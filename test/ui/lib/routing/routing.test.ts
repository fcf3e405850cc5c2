// Tests the logic of the frontend models screen: how rules are read, typed, sent, ordered and
// tried.

import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { DryRun, FrontendModel, Pool, Rule } from '../../../../ui/api/records.ts';
import {
  blankQuestion,
  outcomeOf,
  askedOf,
  callerOf,
  questionBody,
  triedCalls,
  readQuestion,
  verdictOn,
  writeQuestion,
} from '../../../../ui/lib/routing/dry-run.ts';
import { frontendModelForm, jumpsTo } from '../../../../ui/lib/routing/frontend-model-draft.ts';
import { moved } from '../../../../ui/lib/text/moved.ts';
import { membersText, poolForm, sharesOf, usersOf } from '../../../../ui/lib/routing/pool.ts';
import { readHeaders } from '../../../../ui/lib/routing/condition-fields.ts';
import { newRuleBody, ruleChange } from '../../../../ui/lib/routing/rule-body.ts';
import { kindsIn, withoutKind } from '../../../../ui/lib/routing/rule-conditions.ts';
import { blankRule, fromRule } from '../../../../ui/lib/routing/rule-draft.ts';
import {
  inOrder,
  isOtherOrder,
  orderBody,
  placeAt,
} from '../../../../ui/lib/routing/rule-order.ts';
import { conditionsOf } from '../../../../ui/lib/routing/rule-text.ts';
import { readOffset, writeOffset } from '../../../../ui/lib/text/utc-offset.ts';
import { bareRule, onModel } from '../../../harness/admin/rule-records.ts';

const rule: Rule = {
  ...bareRule,
  action: 'route',
  id: 7,
  targets: [onModel(1, 4, 'small', 0)],
};

const chat: FrontendModel = {
  id: 3,
  version: 12,
  name: 'chat',
  description: null,
  max_model_len: 8_192,
  rules: [rule],
  default_targets: [
    { id: 2, provider_model_id: null, model_pool_id: 9, model: 'fast', position: 0 },
  ],
};

const texts = (change: Partial<Rule>): readonly string[] =>
  conditionsOf({ ...rule, ...change }, (id) => `principal-${id}`).map(({ text }) => text);

it('a rule without conditions has no condition texts', () => assert.deepEqual(texts({}), []));

for (const [change, text] of [
  [{ min_prompt_tokens: 8_000 }, 'prompt ≥ 8,000 tokens'],
  [{ max_prompt_tokens: 0 }, 'prompt ≤ 0 tokens'],
  [{ min_max_tokens: 10, max_max_tokens: 500 }, 'asks for 10 to 500 tokens'],
  [{ min_budget_used_percent: 80 }, 'budget ≥ 80 % used'],
  [{ max_request_cost_micros: 250_000 }, 'costs ≤ $0.25'],
  [{ stream: false }, 'not streamed'],
  [{ headers: { 'x-tier': 'gold' } }, 'x-tier = gold'],
  [{ class: 'billing' }, 'class billing'],
  [{ principals: [1, 2], roles: ['ops'] }, 'from principal-1 or principal-2 or role ops'],
  [{ principals: [1, 2, 3, 4, 5] }, 'from principal-1, principal-2, principal-3 or 2 more'],
  [{ max_inflight_per_backend: 4 }, 'one of its backends has fewer than 4 in flight'],
  [{ after: '22:00', before: '06:00' }, '22:00 to 06:00 UTC'],
  [{ days: [1, 2, 3, 4, 5, 7], utc_offset_minutes: 60 }, 'Mon to Fri, Sun UTC+01:00'],
] as const) {
  it(`a condition is read as "${text}"`, () => assert.deepEqual(texts(change), [text]));
}

it('a condition names its fields', () => {
  const [condition] = conditionsOf({ ...rule, min_prompt_tokens: 1 }, String);
  assert.deepEqual(condition?.fields, ['min_prompt_tokens', 'max_prompt_tokens']);
  const [header] = conditionsOf({ ...rule, headers: { 'x-tier': 'gold' } }, String);
  assert.deepEqual(header?.fields, ['headers.x-tier']);
});

it('an untouched rule sends nothing', () => {
  const held: Rule = {
    ...rule,
    principals: [2, 11],
    roles: ['ops'],
    headers: { 'x-tier': 'gold' },
    stream: true,
    min_request_cost_micros: 0,
    max_request_cost_micros: 1_500_000,
    days: [1, 2],
    utc_offset_minutes: -330,
    tag: 'night',
  };
  assert.deepEqual(ruleChange(fromRule(held), held), { body: {} });
});

it('sends an emptied field as null or as an empty list', () => {
  const held: Rule = { ...rule, min_prompt_tokens: 5, tag: 'a', days: [1], headers: { a: 'b' } };
  const draft = { ...fromRule(held), min_prompt_tokens: '', tag: ' ', days: '', headers: '' };
  assert.deepEqual(ruleChange(draft, held), {
    body: { min_prompt_tokens: null, headers: {}, days: [], tag: null },
  });
});

it('changing the action clears the fields of the old one', () => {
  const draft = { ...fromRule(rule), action: 'deny', deny_status: '429', deny_message: 'later' };
  assert.deepEqual(ruleChange(draft, rule), {
    body: { action: 'deny', targets: [], deny_status: 429, deny_message: 'later' },
  });
});

it('a new rule sends only its filled fields', () => {
  const draft = { ...blankRule, targets: 'small\nfast', stream: 'true', headers: 'X-Tier: gold' };
  assert.deepEqual(newRuleBody(draft), {
    body: {
      action: 'route',
      targets: ['small', 'fast'],
      stream: true,
      headers: { 'x-tier': 'gold' },
    },
  });
});

it('a removed condition is cleared completely', () => {
  const held: Rule = { ...rule, days: [1], after: '08:00', utc_offset_minutes: 60, stream: true };
  assert.deepEqual(kindsIn(fromRule(held)), ['stream', 'clock']);
  assert.deepEqual(kindsIn(blankRule), []);
  assert.deepEqual(ruleChange(withoutKind(fromRule(held), 'clock'), held), {
    body: { after: null, days: [], utc_offset_minutes: 0 },
  });
});

const wrongIn = (change: Partial<typeof blankRule>): string | null => {
  const read = newRuleBody({ ...blankRule, ...change });
  return 'wrong' in read ? read.wrong.field : null;
};

it('reports an invalid value at its field', () => {
  assert.deepEqual(
    [
      wrongIn({ min_prompt_tokens: 'many' }),
      wrongIn({ max_budget_used_percent: '8.5' }),
      wrongIn({ max_request_cost_micros: 'cheap' }),
      wrongIn({ headers: 'no value here' }),
      wrongIn({ utc_offset_minutes: 'Berlin' }),
      wrongIn({ action: 'deny', deny_status: '' }),
      wrongIn({ action: 'jump' }),
      wrongIn({ action: 'deny', deny_status: '500' }),
    ],
    [
      'min_prompt_tokens',
      'max_budget_used_percent',
      'max_request_cost_micros',
      'headers',
      'utc_offset_minutes',
      'deny_status',
      'jump_to',
      // The server returns the supported statuses.
      null,
    ],
  );
});

it('reads one header per line, with colon or equals sign', () => {
  assert.deepEqual(readHeaders('A: 1\n\n b = x: y '), { a: '1', b: 'x: y' });
  assert.equal(readHeaders('alone'), undefined);
});

it('reads an offset in its own and other notations', () => {
  assert.deepEqual(['', 'UTC', '+01:00', '-05:30', '2', 'UTC+0530', '+99', 'x'].map(readOffset), [
    0,
    0,
    60,
    -330,
    120,
    330,
    undefined,
    undefined,
  ]);
  assert.deepEqual([60, -330, 0].map(writeOffset), ['+01:00', '-05:30', '+00:00']);
});

it('a rule moves to its new position, but not beyond the ends', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 0, 2), ['b', 'c', 'a']);
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b']);
  assert.deepEqual(moved(['a', 'b'], 1, 2), ['a', 'b']);
  assert.deepEqual(moved(['a', 'b'], 0, -1), ['a', 'b']);
});

const three = [{ id: 1 }, { id: 2 }, { id: 3 }];

it('an unsaved order is kept when others add or remove rules', () => {
  assert.deepEqual(inOrder(three, [3, 9, 1]), [{ id: 3 }, { id: 1 }, { id: 2 }]);
  assert.equal(inOrder(three, null), three);
  assert.equal(isOtherOrder(three, [1, 2]), false);
  assert.equal(isOtherOrder(three, [2, 1, 3]), true);
  assert.deepEqual(orderBody([{ id: 2 }, { id: 1 }]), { rules: [{ id: 2 }, { id: 1 }] });
});

it('a dragged rule follows the rules whose middle it has passed', () => {
  const boxes = [0, 100, 200].map((top) => ({ top, height: 100 }));
  assert.deepEqual(
    [-20, 40, 160, 240, 260, 900].map((y) => placeAt(y, boxes, 0)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.deepEqual(
    [40, 60, 160].map((y) => placeAt(y, boxes, 2)),
    [0, 1, 2],
  );
});

it('a question can be written to the address and read from it', () => {
  const draft = { ...blankQuestion, principal_id: '5', streaming: true, prompt_tokens: '9000' };
  assert.deepEqual(readQuestion({ from: '5', stream: 'true', tokens: '9000' }), draft);
  const written = writeQuestion(draft);
  assert.deepEqual(
    [written['from'], written['stream'], written['tokens'], written['class']],
    ['5', 'true', '9000', null],
  );
});

it('a question is sent in the form of the API', () => {
  const draft = { ...blankQuestion, headers: 'X-Tier: gold', at: '2026-11-21 14:05 UTC' };
  assert.deepEqual(questionBody(draft, 'chat'), {
    body: {
      model: 'chat',
      streaming: false,
      principal_id: null,
      class: null,
      headers: { 'x-tier': 'gold' },
      prompt_tokens: 0,
      max_tokens: null,
      at: '2026-11-21T14:05:00.000Z',
    },
  });
  const wrong = questionBody({ ...draft, at: 'yesterday' }, 'chat');
  assert.equal('wrong' in wrong ? wrong.wrong.field : null, 'at');
  const both = questionBody({ ...blankQuestion, prompt: 'hi', class: 'billing' }, 'chat');
  assert.equal('wrong' in both ? both.wrong.field : null, 'prompt');
});

const answer: DryRun = {
  model: 'chat',
  class: null,
  frontend_model: 'chat',
  chain: [{ model_id: 4, model: 'small', provider: 'Engine', api_base: null, reason: 'rule:1' }],
  candidates: ['small'],
  rule_index: 1,
  matched_rule: 1,
  virtual_model: true,
  rule_id: 8,
  reason: 'rule:1',
  denied: null,
  tag: null,
  rules: [
    ...(['stream'] as const).map((field) => verdict(7, { failed: [field] })),
    verdict(8, { decides: true, matches: true }),
    verdict(9, { matches: true }),
    verdict(10, { matches: true, jump_lost: true }),
  ],
};

function verdict(rule_id: number, change: Partial<DryRun['rules'][number]>) {
  return {
    frontend_model_id: 3,
    frontend_model: 'chat',
    rule_id,
    rule_index: 0,
    action: 'route' as const,
    matches: false,
    decides: false,
    failed: [],
    jump_lost: false,
    ...change,
  };
}

it('each rule shows its result in the dry run', () => {
  assert.deepEqual(
    [7, 8, 9, 10, 11].map((id) => verdictOn(id, answer)?.word),
    [
      'does not match',
      'decides',
      'matches, but a rule above decides',
      'jump target deleted',
      undefined,
    ],
  );
  assert.deepEqual(verdictOn(7, answer)?.failed, ['stream']);
  assert.equal(outcomeOf(answer), 'rule:1: small');
  const denied = { status: 429, message: 'later' };
  assert.equal(outcomeOf({ ...answer, chain: [], denied }), 'rule:1: 429');
});

const pool: Pool = {
  id: 9,
  version: 4,
  name: 'fast',
  description: null,
  policy: 'least-loaded',
  members: [
    { id: 1, provider_model_id: 4, model: 'small', weight: 3, position: 0 },
    { id: 2, provider_model_id: 5, model: 'other', weight: 1, position: 1 },
    { id: 3, provider_model_id: null, model: 'lost', weight: 4, position: 2 },
  ],
};

it('a pool sends its members with weights, and only changed fields', () => {
  assert.deepEqual(poolForm.change(poolForm.write(pool), pool), { body: {} });
  assert.deepEqual(
    poolForm.change({ ...poolForm.write(pool), policy: '', members: 'small\t1' }, pool),
    {
      body: { policy: null, members: [{ model: 'small', weight: 1 }] },
    },
  );
  const wrong = poolForm.read({ ...poolForm.blank, name: 'p', members: 'small\t-1' });
  assert.equal('wrong' in wrong ? wrong.wrong.field : null, 'members');
  const drained = poolForm.read({ ...poolForm.blank, name: 'p', members: 'small\t0' });
  assert.deepEqual('body' in drained ? drained.body.members : null, [
    { model: 'small', weight: 0 },
  ]);
});

it('a pool shows how it distributes requests, and what uses it', () => {
  assert.deepEqual(sharesOf(pool.members), [75, 25, 0]);
  assert.deepEqual(
    membersText([
      { model: 'small', weight: 3 },
      { model: 'b', weight: 1 },
    ]),
    ['small × 3', 'b'],
  );
  assert.deepEqual(usersOf(pool, [chat]), [{ id: 3, name: 'chat', where: ['default'] }]);
});

it('a frontend model sends changed fields; an emptied context window is cleared', () => {
  assert.deepEqual(frontendModelForm.change(frontendModelForm.write(chat), chat), { body: {} });
  const draft = { ...frontendModelForm.write(chat), max_model_len: '', default_targets: '' };
  assert.deepEqual(frontendModelForm.change(draft, chat), {
    body: { max_model_len: null, default_targets: [] },
  });
  const wrong = frontendModelForm.read({ ...frontendModelForm.blank, max_model_len: 'wide' });
  assert.equal('wrong' in wrong ? wrong.wrong.field : null, 'max_model_len');
});

it('finds rules of other models that jump to a frontend model', () => {
  const jumping = {
    ...chat,
    id: 5,
    name: 'entry',
    rules: [rule, { ...rule, id: 9, name: 'Onwards', jump_to: 3 }],
  };
  assert.deepEqual(jumpsTo(3, [chat, jumping]), [{ id: 5, name: 'entry', rule: 'Onwards' }]);
});

it('finds a caller by name or id; an unknown name is reported and not sent', () => {
  const principals = [{ id: 7, name: 'ann' }];
  assert.deepEqual(callerOf(' ann ', principals), { id: '7' });
  assert.deepEqual(callerOf('7', principals), { id: '7' });
  assert.deepEqual(callerOf(' ', principals), { id: '' });
  assert.deepEqual(callerOf('bob', principals), { unknownCaller: 'bob' });
  const typed = { draft: blankQuestion, unknownCaller: '', model: 'chat', standing: '9' };
  const wrong = askedOf({ ...typed, unknownCaller: 'bob' });
  assert.equal('wrong' in wrong && wrong.wrong.field, 'principal_id');
});

const versionOf = (asked: ReturnType<typeof askedOf>) =>
  'wrong' in asked ? asked : asked.body.version;

it('uses the typed version, otherwise the shown one', () => {
  const typed = { draft: blankQuestion, unknownCaller: '', model: 'chat', standing: '9' };
  assert.equal(versionOf(askedOf(typed)), '9');
  assert.equal(versionOf(askedOf({ ...typed, standing: null })), '');
  const draft = { ...blankQuestion, version: ' 12 ' };
  assert.equal(versionOf(askedOf({ ...typed, draft })), '12');
});

it('tries only proposed calls that change something', () => {
  const put = { method: 'PUT', path: '/admin/frontend-models/1/rules', body: { rules: [] } };
  assert.deepEqual(triedCalls([{ method: 'GET', path: '/admin/rules' }, put]), [put]);
});
