// Decides commands on prompt classes and their examples (specification, "Prompt class").

import { streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { StoredExample } from '../../events/prompt-class.ts';
import type { PromptClass } from '../../projections/config/prompt-class.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { promptClassId, promptExampleId } from '../lib/ids.ts';
import type { PromptClassId, PromptExampleId } from '../lib/ids.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { PromptClassTier } from '../lib/vocabulary.ts';
import type { Decision } from './decision.ts';
import { setFields } from './set-fields.ts';

export type PromptClassCommand =
  | Readonly<{
      type: 'CreatePromptClass';
      name: string;
      description: string | null;
      tier: PromptClassTier;
      minMargin: number;
      /** Names of classes. */
      refines: readonly string[];
      examples: readonly StoredExample[];
    }>
  /** Undefined members stay unchanged. */
  | Readonly<{
      type: 'UpdatePromptClass';
      id: PromptClassId;
      name: string | undefined;
      description: string | null | undefined;
      tier: PromptClassTier | undefined;
      minMargin: number | undefined;
      refines: readonly string[] | undefined;
    }>
  | Readonly<{ type: 'AddPromptExample'; id: PromptClassId; example: StoredExample }>
  | Readonly<{ type: 'RemovePromptExample'; id: PromptClassId; exampleId: PromptExampleId }>
  | Readonly<{ type: 'DeletePromptClass'; id: PromptClassId }>;

/** Evaluation compares each example with every other. */
export const examplesMax = 1_000;

export function decidePromptClass(state: ConfigState, command: PromptClassCommand): Decision {
  if (command.type === 'CreatePromptClass') return createClass(state, command);
  const held = state.prompt_class.byId.get(command.id);
  if (held === undefined) return noPromptClass(command.id);
  switch (command.type) {
    case 'UpdatePromptClass':
      return updateClass(state, held, command);
    case 'AddPromptExample':
      return addExamples(held, [command.example]);
    case 'RemovePromptExample':
      return removeExample(held, command.exampleId);
    case 'DeletePromptClass':
      return deleteClass(state, held);
  }
}

type Of<Type extends PromptClassCommand['type']> = Extract<PromptClassCommand, { type: Type }>;

function createClass(state: ConfigState, command: Of<'CreatePromptClass'>): Decision {
  const { name, description, tier, minMargin, examples } = command;
  if (classNamed(state, name) !== undefined) return nameTaken(name);
  const id = promptClassId.parse(state.prompt_class.lastId + 1);
  const refines = refinedIds(state, command.refines, { id, name });
  if (isRefusal(refines)) return refines;
  const refusal = unrefining(tier, refines);
  if (refusal !== null) return refusal;
  const added = addExamples({ id, name, examples: [], lastExampleId: 0 }, examples);
  if (isRefusal(added)) return added;
  const data = { id, name, description, tier, min_margin: minMargin, refines: [...refines] };
  return [{ stream: streamOf('prompt_class', id), type: 'PromptClassCreated', data }, ...added];
}

function updateClass(
  state: ConfigState,
  held: PromptClass,
  command: Of<'UpdatePromptClass'>,
): Decision {
  const { name = held.name, description, tier = held.tier, minMargin } = command;
  if (name !== held.name && classNamed(state, name) !== undefined) return nameTaken(name);
  const refines =
    command.refines === undefined ? held.refines : refinedIds(state, command.refines, held);
  if (isRefusal(refines)) return refines;
  // Checks only requests: a deletion may have left a refined class with nothing to refine.
  const isAsked = command.tier !== undefined || command.refines !== undefined;
  const refusal = isAsked ? unrefining(tier, refines) : null;
  if (refusal !== null) return refusal;
  return setFields('prompt_class', held, { name, description, tier, minMargin, refines });
}

/** In order, without duplicates. Rejects missing classes and refinement loops. */
function refinedIds(
  state: ConfigState,
  names: readonly string[],
  own: Pick<PromptClass, 'id' | 'name'>,
): readonly PromptClassId[] | Refusal {
  const ids = new Set<PromptClassId>();
  for (const name of names) {
    if (name === own.name) {
      return refuse('invalid', `refines ${name}: a class cannot refine itself`, refinesField);
    }
    const found = classNamed(state, name);
    if (found === undefined) {
      return refuse('invalid', `refines ${name}: no such class`, refinesField);
    }
    const loop = wayTo(state, found, own.id);
    if (loop !== null) {
      const shown = [own.name, ...loop, own.name].join(' -> ');
      return refuse('invalid', `refines ${name} closes the loop ${shown}`, refinesField);
    }
    ids.add(found.id);
  }
  return [...ids].toSorted((a, b) => a - b);
}

const refinesField = { param: 'refines' };

/** Null if there is no path of refinements from `from` to `goal`. */
function wayTo(state: ConfigState, from: PromptClass, goal: PromptClassId): string[] | null {
  const seen = new Set<number>();
  const walk = (at: PromptClass): string[] | null => {
    if (at.refines.includes(goal)) return [at.name];
    seen.add(at.id);
    for (const id of at.refines) {
      const next = state.prompt_class.byId.get(id);
      const rest = next === undefined || seen.has(id) ? null : walk(next);
      if (rest !== null) return [at.name, ...rest];
    }
    return null;
  };
  return walk(from);
}

/** The refined tier only decides among classes that refine the winner of the fast tier. */
const unrefining = (tier: PromptClassTier, refines: readonly PromptClassId[]): Refusal | null =>
  tier === 'refined' && refines.length === 0
    ? refuse('invalid', 'refines must name a class for tier refined', refinesField)
    : null;

/** Without a label, the format from before labels existed. */
export const storedExampleOf = (
  label: string | null,
  { ref, fingerprint }: Pick<StoredExample, 'ref' | 'fingerprint'>,
): StoredExample => (label === null ? { ref, fingerprint } : { ref, fingerprint, label });

type Holder = Pick<PromptClass, 'id' | 'name' | 'examples' | 'lastExampleId'>;

/** Duplicates would count twice. */
function addExamples(
  { id, name, examples, lastExampleId }: Holder,
  given: readonly StoredExample[],
): readonly GwEvent[] | Refusal {
  const held = new Set(examples.map(({ fingerprint }) => fingerprint));
  const fresh = new Map(
    given
      .filter(({ fingerprint }) => !held.has(fingerprint))
      .map((example) => [example.fingerprint, example]),
  );
  const count = examples.length + fresh.size;
  if (count > examplesMax) {
    const message = `class ${name} would have ${count} examples; the maximum is ${examplesMax}`;
    return refuse('invalid', message, { param: 'examples' });
  }
  return [...fresh.values()].map((example, index) => {
    const example_id = promptExampleId.parse(lastExampleId + 1 + index);
    const data = { id, example_id, example };
    return { stream: streamOf('prompt_class', id), type: 'PromptExampleAdded', data };
  });
}

function removeExample({ id, name, examples }: PromptClass, exampleId: PromptExampleId): Decision {
  if (!examples.some((example) => example.id === exampleId)) {
    return refuse('absent', `class ${name} has no example ${exampleId}`);
  }
  return [exampleRemoved(id, exampleId)];
}

const exampleRemoved = (id: PromptClassId, example_id: PromptExampleId): GwEvent => ({
  stream: streamOf('prompt_class', id),
  type: 'PromptExampleRemoved',
  data: { id, example_id },
});

/**
 * Deletes the examples and the references of refining classes by explicit events, so that replay
 * and comparison show them. A rule that requires the class then matches nothing.
 */
function deleteClass(state: ConfigState, { id, examples }: PromptClass): Decision {
  const refining = [...state.prompt_class.byId.values()].filter(({ refines }) =>
    refines.includes(id),
  );
  return [
    ...refining.map((one) =>
      refinesSet(
        one.id,
        one.refines.filter((refined) => refined !== id),
      ),
    ),
    ...examples.map((example) => exampleRemoved(id, example.id)),
    { stream: streamOf('prompt_class', id), type: 'PromptClassDeleted', data: { id } },
  ];
}

const refinesSet = (id: PromptClassId, refines: readonly PromptClassId[]): GwEvent => ({
  stream: streamOf('prompt_class', id),
  type: 'PromptClassRefinesSet',
  data: { id, refines: [...refines] },
});

export const classNamed = (state: ConfigState, name: string): PromptClass | undefined =>
  [...state.prompt_class.byId.values()].find((one) => one.name === name);

const nameTaken = (name: string): Refusal =>
  refuse('conflict', `prompt class ${name} exists`, { param: 'name' });

export const noPromptClass = (id: number): Refusal =>
  refuse('absent', `prompt class ${id} does not exist`);
