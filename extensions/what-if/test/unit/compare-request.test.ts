// Tests the comparison of a recorded request under two sets of rules: the one that served it and
// the proposal. Unrecorded facts are never guessed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Caller } from '../../../../src/snapshot/compile/callers.ts';
import { anonymous } from '../../../../src/snapshot/compile/callers.ts';
import type { CompiledSnapshot } from '../../../../src/snapshot/compile.ts';
import { enumerateAnswers } from '../../../../src/routing/enumerate-answers.ts';
import { choiceKey, firstChoice } from '../../../../src/routing/first-choice.ts';
import { idleView } from '../../../../src/routing/idle-view.ts';
import { chooseRoute } from '../../../../src/routing/route.ts';
import { ruleInputs } from '../../../../src/routing/rule-inputs.ts';
import { compareRecorded } from '../../compare-request.ts';
import type { Comparison } from '../../compare-request.ts';
import { readRequest, routing } from '../../../../test/harness/gateway/routing.ts';
import type { RoutingOptions } from '../../../../test/harness/gateway/routing.ts';

type Given = Readonly<{
  /** Served the request, unless `served` is set. */
  before: string;
  after: string;
  /** Set if it differs from the configuration to compare with. */
  served?: string;
  options?: RoutingOptions;
  optionsAfter?: RoutingOptions;
  request: string;
  /** The model that answered, chosen from the target that served it. */
  answered?: string;
  /** The proposal has other classes or another budget of the caller. */
  classesAfter?: string;
  budgetAfter?: string;
  costs?: Readonly<Record<string, number | null>>;
}>;

const classNames = ['code', 'prose'];

function compared(given: Given): Comparison {
  const { options = {}, costs = {} } = given;
  const before = compiled(given.before, options);
  const after = compiled(given.after, given.optionsAfter ?? options);
  const served = given.served === undefined ? before : compiled(given.served, options);
  const request = readRequest(given.request, classNames);
  const percent = /budget=(\d+)/.exec(given.request)?.[1];
  const caller: Caller = { ...callerOf(served), budgetUsedPercent: Number(percent ?? -1) };
  const entry = served.frontendModels.get(request.model);
  const asking = { caller, request, live: idleView() };
  const budget = percent === undefined ? '' : 'a budget';
  const route = chooseRoute(served, asking);
  const tokens = request.promptEstimate + (request.maxTokens ?? 0);
  const place = route.kind === 'chain' ? choiceKey(firstChoice(route, tokens)) : null;
  const by = served.models.get(given.answered ?? '')?.id;
  return compareRecorded(
    {
      before: { tables: before, caller: callerOf(before), classes: 'c', budget },
      after: {
        tables: after,
        caller: callerOf(after),
        classes: given.classesAfter ?? 'c',
        budget: given.budgetAfter ?? budget,
      },
    },
    {
      recorded: {
        model: request.model,
        isStream: request.isStream,
        promptEstimate: request.promptEstimate,
        maxTokens: request.maxTokens,
        promptClass: request.promptClass,
        atMs: request.nowMs,
        budgetPercent: percent === undefined ? null : Number(percent),
        inputs: ruleInputs(entry, asking),
        route: route.decision?.reason ?? null,
        ruleId: route.decision?.rule?.id ?? null,
      },
      latestMs: request.nowMs + 30_000,
      serving: { frontendModel: entry, classes: 'c', budget },
      answered: by === undefined || place === null ? null : { by, place },
      costAt: ({ name }) => costs[name] ?? null,
    },
  );
}

/** Models named first have the same ids in all configurations. */
const compiled = (rules: string, options: RoutingOptions): CompiledSnapshot =>
  routing(`all: else a, b, c\n${rules}`, options).snapshot;

const callerOf = ({ callers }: CompiledSnapshot): Caller => [...callers.values()][0] ?? anonymous;

const cases: readonly (Given & Readonly<{ what: string; comes: string }>)[] = [
  {
    what: 'goes where it went when nothing of its way is changed',
    before: 'house: -> a',
    after: `house: min_prompt_tokens=100 -> b
            house: -> a`,
    request: 'house prompt=99',
    comes: 'same a -> a',
  },
  {
    what: 'is re-routed by a rule that takes it',
    before: 'house: -> a',
    after: 'house: max_prompt_tokens=100 -> b',
    request: 'house prompt=99',
    comes: 'rerouted a -> b',
  },
  {
    what: 'is re-routed when its model is served by another provider',
    before: 'house: -> a',
    after: 'house: -> a',
    optionsAfter: { models: { a: { backends: [{ apiBase: 'http://two.test/v1' }] } } },
    request: 'house',
    comes: 'rerouted a -> a',
  },
  {
    what: 'is denied by a rule that denies it',
    before: 'house: -> a',
    after: 'house: stream=true -> deny 413 no streams',
    request: 'house stream',
    comes: 'newly_denied a -> 413',
  },
  {
    what: 'is denied when nothing serves it any more',
    before: 'house: -> a',
    after: 'hall: -> a',
    request: 'house',
    comes: 'newly_denied a -> 404',
  },
  {
    what: 'is allowed when what denied it is gone',
    before: 'house: stream=true -> deny 413 no streams',
    after: 'house: -> a',
    request: 'house stream',
    comes: 'newly_allowed 413 -> a',
  },
  {
    what: 'stays denied with another message',
    before: 'house: -> deny 413 no',
    after: 'house: -> deny 403 no',
    request: 'house',
    comes: 'same 413 -> 403',
  },
  {
    what: 'is told by a header that a rule then asked for',
    before: 'house: headers.x-tier=gold -> a\nhouse: -> b',
    after: 'house: headers.x-tier=gold -> c\nhouse: -> b',
    request: 'house x-tier:gold',
    comes: 'rerouted a -> c',
  },
  {
    what: 'has no other value of a header of which one is told',
    before: 'house: headers.x-tier=gold -> a\nhouse: -> b',
    after: 'house: headers.x-tier=iron -> c\nhouse: -> a',
    request: 'house x-tier:gold',
    comes: 'same a -> a',
  },
  {
    what: 'is not told where a header is asked that no rule then asked for',
    before: 'house: -> a',
    after: 'house: headers.x-tier=gold -> b\nhouse: -> a',
    request: 'house x-tier:gold',
    comes: 'not told: headers.x-tier',
  },
  {
    what: 'is told all the same when the header makes no difference',
    before: 'house: -> a',
    after: 'house: headers.x-tier=gold -> b\nhouse: -> b',
    request: 'house x-tier:gold',
    comes: 'rerouted a -> b',
  },
  {
    what: 'is told where both ask the same that is not told',
    served: 'house: -> a',
    before: 'house: headers.x-tier=gold -> a\nhouse: -> b',
    after: 'house: headers.x-tier=gold -> a\nhouse: -> b #tagged',
    request: 'house x-tier:gold',
    comes: 'same ? -> ?',
  },
  {
    what: 'is not told where another configuration served it, that asked for less',
    served: 'house: -> a',
    before: 'house: headers.x-tier=gold -> a\nhouse: -> b',
    after: 'house: headers.x-tier=gold -> c\nhouse: -> b',
    request: 'house x-tier:gold',
    comes: 'not told: headers.x-tier',
  },
  {
    what: 'is of the class that was found when the same classes were named',
    before: 'house: class=1 -> a\nhouse: -> b',
    after: 'house: class=1 -> c\nhouse: -> b',
    options: { promptClasses: { code: [], prose: [] } },
    request: 'house class=code',
    comes: 'rerouted a -> c',
  },
  {
    what: 'is of no class that is known when the classes are others',
    before: 'house: class=1 -> a\nhouse: -> b',
    after: 'house: class=1 -> a #tagged\nhouse: -> b',
    options: { promptClasses: { code: [], prose: [] } },
    classesAfter: 'others',
    request: 'house class=code',
    comes: 'not told: class',
  },
  {
    what: 'is of no class that is known when none was named',
    before: 'house: -> a',
    after: 'house: class=1 -> b\nhouse: -> a',
    options: { promptClasses: { code: [], prose: [] } },
    request: 'house',
    comes: 'not told: class',
  },
  {
    what: 'had spent of its budget what was seen then',
    before: 'house: -> a',
    after: 'house: min_budget_used_percent=80 -> b\nhouse: -> a',
    request: 'house budget=85',
    comes: 'rerouted a -> b',
  },
  {
    what: 'has an unknown spend of another budget',
    before: 'house: -> a',
    after: 'house: min_budget_used_percent=80 -> b\nhouse: -> a',
    budgetAfter: 'another',
    request: 'house budget=85',
    comes: 'not told: min_budget_used_percent, max_budget_used_percent',
  },
  {
    what: 'has nothing spent without a budget',
    before: 'house: -> a',
    after: 'house: min_budget_used_percent=80 -> b\nhouse: -> a',
    budgetAfter: '',
    request: 'house budget=85',
    comes: 'same a -> a',
  },
  {
    what: 'came at a time that the row tells',
    before: 'house: -> a',
    after: 'house: after=08:00 before=18:00 -> b\nhouse: -> a',
    request: 'house at=2026-11-21T12:00:00Z',
    comes: 'rerouted a -> b',
  },
  {
    what: 'may have been routed before or after the edge of a window',
    before: 'house: -> a',
    after: 'house: after=08:00 before=18:00 -> b\nhouse: -> a',
    request: 'house at=2026-11-21T17:59:45Z',
    comes: 'not told: after, before, days',
  },
  {
    what: 'was routed to the millisecond when a rule asked for the time',
    before: 'house: before=06:00 -> a\nhouse: -> a',
    after: 'house: after=08:00 before=18:00 -> b\nhouse: -> a',
    request: 'house at=2026-11-21T17:59:45Z',
    comes: 'rerouted a -> b',
  },
  {
    what: 'found room where a rule then asked the same of the same endpoints',
    before: 'house: max_inflight_per_backend=5 -> a\nhouse: -> b',
    after: 'house: max_inflight_per_backend=5 -> a\nhouse: -> c',
    request: 'house',
    comes: 'same a -> a',
  },
  {
    what: 'has an unknown load below another limit',
    before: 'house: max_inflight_per_backend=5 -> a\nhouse: -> b',
    after: 'house: max_inflight_per_backend=9 -> a\nhouse: -> b',
    request: 'house',
    comes: 'not told: max_inflight_per_backend',
  },
  {
    what: 'goes to the same member of the same pool',
    before: 'house: -> p',
    after: 'house: -> p #tagged',
    options: { pools: { p: { members: { a: 1, b: 1 } } } },
    request: 'house',
    answered: 'b',
    comes: 'same pool p -> pool p',
  },
  {
    what: 'is re-routed when the member that answered is in the pool no more',
    before: 'house: -> p',
    after: 'house: -> p',
    options: { pools: { p: { members: { a: 1, b: 1 } } } },
    optionsAfter: { pools: { p: { members: { a: 1, c: 1 } } } },
    request: 'house',
    answered: 'b',
    comes: 'rerouted pool p -> pool p',
  },
  {
    what: 'goes to an unknown member of a pool with other weights',
    before: 'house: -> p',
    after: 'house: -> p',
    options: { pools: { p: { members: { a: 1, b: 1 } } } },
    optionsAfter: { pools: { p: { members: { a: 1, b: 9 } } } },
    request: 'house',
    answered: 'b',
    comes: 'not told: pool',
  },
  {
    what: 'stays with the member that answered, when that is all that is left',
    before: 'house: -> p',
    after: 'house: -> b',
    options: { pools: { p: { members: { a: 1, b: 1 } } } },
    request: 'house',
    answered: 'b',
    comes: 'same pool p -> b',
  },
  {
    what: 'went to an unknown member when another configuration chose',
    served: 'house: -> b',
    before: 'house: -> p',
    after: 'house: -> b',
    options: { pools: { p: { members: { a: 1, b: 1 } } } },
    request: 'house',
    answered: 'b',
    comes: 'not told: pool',
  },
  {
    what: 'comes after models whose context length is too small',
    before: 'house: -> a, b',
    after: 'house: -> a, b',
    optionsAfter: { models: { a: { contextLength: 50 } } },
    request: 'house prompt=60',
    comes: 'rerouted a -> b',
  },
  {
    what: 'follows a jump',
    before: 'house: -> jump hall\nhall: -> a',
    after: 'house: -> jump hall\nhall: stream=true -> b\nhall: -> a',
    request: 'house stream',
    comes: 'rerouted a -> b',
  },
];

function said({ change, untold, before, after }: Comparison): string {
  if (change === null) return `not told: ${untold.join(', ')}`;
  const names = [before, after].map((one) => {
    if (one === null) return '?';
    if (one.denied !== null) return String(one.denied.status);
    return one.to?.kind === 'pool' ? `pool ${one.to.name}` : one.to?.name;
  });
  return `${change} ${names.join(' -> ')}`;
}

describe('a recorded request', () => {
  for (const { what, comes, ...given } of cases) {
    it(what, () => assert.equal(said(compared(given)), comes));
  }

  it('costs what the model costs that answers, and nothing when it is denied', () => {
    const costs = { a: 10, b: 25 };
    const request = 'house';
    const pool = { pools: { p: { members: { a: 1, b: 1 } } } } as const;
    const rules = (one: string, other: string) => ({ before: one, after: other, request, costs });
    const table = [
      [rules('house: -> a', 'house: -> b'), 10, 25],
      [rules('house: -> a', 'house: -> deny 403 no'), 10, 0],
      [rules('house: -> a', 'house: -> c'), 10, null],
      [{ ...rules('house: -> a', 'house: -> p'), options: pool }, 10, null],
      [{ ...rules('house: -> a', 'house: -> p'), options: pool, costs: { a: 10, b: 10 } }, 10, 10],
      [{ ...rules('house: -> p', 'house: -> p'), options: pool, answered: 'b' }, 25, 25],
    ] as const;
    for (const [given, before, after] of table) {
      assert.deepEqual(compared(given).cost, { before, after }, JSON.stringify(given));
    }
  });
});

const question = (key: string) => ({ key, fields: [key] });

describe('every way', () => {
  it('asks once for each answer to what is asked, and not for what is not', () => {
    const { answers, asked, isWhole } = enumerateAnswers((assume) => {
      if (!assume(question('x'))) return 'not x';
      return assume(question('y')) && assume(question('x')) ? 'x and y' : 'x alone';
    });
    assert.deepEqual(answers.toSorted(), ['not x', 'x alone', 'x and y']);
    assert.deepEqual([asked, isWhole], [['x', 'y'], true]);
  });

  it('ends when there are more than are tried', () => {
    const { answers, isWhole } = enumerateAnswers((assume) =>
      Array.from({ length: 20 }, (_, at) => assume({ key: `${at}`, fields: [] })),
    );
    assert.deepEqual([answers.length, isWhole], [64, false]);
  });
});
