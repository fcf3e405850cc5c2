// Tests commands on prompt classes and their examples.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { StoredExample } from '../../events/prompt-class.ts';
import { examplesMax } from '../../src/deciders/prompt-class.ts';
import type { PromptClassCommand } from '../../src/deciders/prompt-class.ts';
import { promptClassId, promptExampleId } from '../../src/lib/ids.ts';
import { given, testRef } from '../harness/events/test-log.ts';

type Of<Type extends PromptClassCommand['type']> = Extract<PromptClassCommand, { type: Type }>;

const id = (number: number) => promptClassId.parse(number);
const stream = (number: number) => `prompt_class-${number}`;
const exampleOf = (text: string, ref = 1): StoredExample => ({
  ref: testRef(ref),
  fingerprint: text,
});

function classCreated(
  number: number,
  name: string,
  { tier = 'fast', refines = [] }: { tier?: 'fast' | 'refined'; refines?: number[] } = {},
): GwEvent {
  return {
    stream: stream(number),
    type: 'PromptClassCreated',
    data: {
      id: id(number),
      name,
      description: null,
      tier,
      min_margin: 0.1,
      refines: refines.map(id),
    },
  };
}
const exampleAdded = (number: number, example: number, stored: StoredExample): GwEvent => ({
  stream: stream(number),
  type: 'PromptExampleAdded',
  data: { id: id(number), example_id: promptExampleId.parse(example), example: stored },
});
const exampleRemoved = (number: number, example: number): GwEvent => ({
  stream: stream(number),
  type: 'PromptExampleRemoved',
  data: { id: id(number), example_id: promptExampleId.parse(example) },
});
const refinesSet = (number: number, refines: readonly number[]): GwEvent => ({
  stream: stream(number),
  type: 'PromptClassRefinesSet',
  data: { id: id(number), refines: refines.map(id) },
});
const deleted = (number: number): GwEvent => ({
  stream: stream(number),
  type: 'PromptClassDeleted',
  data: { id: id(number) },
});

const create = (change: Partial<Of<'CreatePromptClass'>> = {}) =>
  ({
    type: 'CreatePromptClass',
    name: 'code',
    description: null,
    tier: 'fast',
    minMargin: 0.1,
    refines: [],
    examples: [],
    ...change,
  }) as const;
const update = (number: number, change: Partial<Of<'UpdatePromptClass'>>) =>
  ({
    type: 'UpdatePromptClass',
    id: id(number),
    name: undefined,
    description: undefined,
    tier: undefined,
    minMargin: undefined,
    refines: undefined,
    ...change,
  }) as const;

const code = classCreated(1, 'code');
const sql = classCreated(2, 'sql', { tier: 'refined', refines: [1] });

describe('a prompt class', () => {
  it('is created with its examples, each once', () =>
    given([])
      .when(create({ examples: [exampleOf('a'), exampleOf('b', 2), exampleOf('a', 3)] }))
      .yields([
        code,
        exampleAdded(1, 1, exampleOf('a', 3)),
        exampleAdded(1, 2, exampleOf('b', 2)),
      ]));

  it('does not take a name that is held', () =>
    given([code])
      .when(create())
      .refuses('conflict', /prompt class code exists/, 'name'));

  it('never gets the id of one that was deleted', () =>
    given([classCreated(1, 'old'), deleted(1)])
      .when(create())
      .yields([classCreated(2, 'code')]));

  it('refines classes by name, in the order of their ids', () =>
    given([code, classCreated(2, 'chat')])
      .when(create({ name: 'sql', tier: 'refined', refines: ['chat', 'code', 'chat'] }))
      .yields([classCreated(3, 'sql', { tier: 'refined', refines: [1, 2] })]));

  it('refines neither what does not exist nor itself', () => {
    given([code])
      .when(create({ name: 'sql', refines: ['prose'] }))
      .refuses('invalid', /^refines prose: no such class$/, 'refines');
    given([])
      .when(create({ refines: ['code'] }))
      .refuses('invalid', /cannot refine itself/, 'refines');
    given([code])
      .when(update(1, { refines: ['code'] }))
      .refuses('invalid', /cannot refine itself/, 'refines');
  });

  it('of tier refined refines something', () => {
    given([])
      .when(create({ tier: 'refined' }))
      .refuses('invalid', /refines must name a class/, 'refines');
    given([code])
      .when(update(1, { tier: 'refined' }))
      .refuses('invalid', /refines must name a class/, 'refines');
    given([code, sql])
      .when(update(2, { refines: [] }))
      .refuses('invalid', /refines must name a class/, 'refines');
  });

  it('closes no loop, and the refusal names it', () =>
    given([code, sql, classCreated(3, 'joins', { tier: 'refined', refines: [2] })])
      .when(update(1, { refines: ['joins'] }))
      .refuses('invalid', /closes the loop code -> joins -> sql -> code$/, 'refines'));
});

describe('an update of a prompt class', () => {
  it('changes what is given, one event a field', () =>
    given([code, classCreated(2, 'chat')])
      .when(
        update(1, {
          name: 'programs',
          description: 'source',
          tier: 'refined',
          minMargin: 0.2,
          refines: ['chat'],
        }),
      )
      .yields([
        { stream: stream(1), type: 'PromptClassRenamed', data: { id: id(1), name: 'programs' } },
        {
          stream: stream(1),
          type: 'PromptClassDescribed',
          data: { id: id(1), description: 'source' },
        },
        { stream: stream(1), type: 'PromptClassTierSet', data: { id: id(1), tier: 'refined' } },
        {
          stream: stream(1),
          type: 'PromptClassMinMarginSet',
          data: { id: id(1), min_margin: 0.2 },
        },
        refinesSet(1, [2]),
      ]));

  it('to what it is changes nothing', () =>
    given([code, sql])
      .when(update(2, { name: 'sql', tier: 'refined', minMargin: 0.1, refines: ['code'] }))
      .yields([]));

  it('does not take a name that another holds', () =>
    given([code, sql])
      .when(update(1, { name: 'sql' }))
      .refuses('conflict', /prompt class sql exists/, 'name'));

  it('of one that does not exist is refused', () =>
    given([])
      .when(update(7, {}))
      .refuses('absent', /prompt class 7 does not exist/));
});

const add = (text: string) =>
  ({ type: 'AddPromptExample', id: id(1), example: exampleOf(text, 9) }) as const;

describe('an example', () => {
  it('gets the next id of its class, which is not given again', () =>
    given([code, exampleAdded(1, 1, exampleOf('a')), exampleRemoved(1, 1)])
      .when(add('b'))
      .yields([exampleAdded(1, 2, exampleOf('b', 9))]));

  it('is stored with its label', () => {
    const labelled = { ...exampleOf('b', 9), label: 'endless loop' };
    given([code])
      .when({ type: 'AddPromptExample', id: id(1), example: labelled })
      .yields([exampleAdded(1, 1, labelled)]);
  });

  it('keeps its label when it is added again with another one', () =>
    given([code, exampleAdded(1, 1, { ...exampleOf('a'), label: 'endless loop' })])
      .when({ type: 'AddPromptExample', id: id(1), example: { ...exampleOf('a'), label: 'new' } })
      .yields([]));

  it('that the class has is not added again', () =>
    given([code, exampleAdded(1, 1, exampleOf('a'))])
      .when(add('a'))
      .yields([]));

  it('is one of a bounded number', () => {
    const full = Array.from({ length: examplesMax }, (_, at) =>
      exampleAdded(1, at + 1, exampleOf(`text ${at}`)),
    );
    given([code, ...full])
      .when(add('one more'))
      .refuses('invalid', /would have 1001 examples; the maximum is 1000/, 'examples');
    given([code, ...full])
      .when(add('text 5'))
      .yields([]);
  });

  it('is removed alone', () =>
    given([code, exampleAdded(1, 1, exampleOf('a')), exampleAdded(1, 2, exampleOf('b'))])
      .when({ type: 'RemovePromptExample', id: id(1), exampleId: promptExampleId.parse(2) })
      .yields([exampleRemoved(1, 2)]));

  it('that is not there is not removed', () =>
    given([code])
      .when({ type: 'RemovePromptExample', id: id(1), exampleId: promptExampleId.parse(2) })
      .refuses('absent', /class code has no example 2/));
});

describe('the deletion of a prompt class', () => {
  it('cascades to its examples and to what refines it, each by an event', () =>
    given([
      code,
      classCreated(2, 'chat'),
      classCreated(3, 'sql', { tier: 'refined', refines: [1, 2] }),
      classCreated(4, 'tests', { tier: 'refined', refines: [1] }),
      exampleAdded(1, 1, exampleOf('a')),
    ])
      .when({ type: 'DeletePromptClass', id: id(1) })
      .yields([refinesSet(3, [2]), refinesSet(4, []), exampleRemoved(1, 1), deleted(1)]));

  it('leaves what refined it to be changed otherwise', () =>
    given([classCreated(4, 'tests', { tier: 'refined', refines: [] })])
      .when(update(4, { minMargin: 0.5 }))
      .yields([
        {
          stream: stream(4),
          type: 'PromptClassMinMarginSet',
          data: { id: id(4), min_margin: 0.5 },
        },
      ]));

  it('of one that does not exist is refused', () =>
    given([])
      .when({ type: 'DeletePromptClass', id: id(1) })
      .refuses('absent', /prompt class 1 does not exist/));
});
