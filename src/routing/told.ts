// What a usage row tells of the conditions of another configuration than the one that served it: a row has what the rules of its own
// time asked for (rule-inputs.ts). What another rule asks is a question that stays open, and is never guessed.

import type { CompiledFrontendModel, CompiledRule } from '../snapshot/compile/frontend-models.ts';
import { unbounded } from '../snapshot/compile/conditions.ts';
import type { Question } from './every-way.ts';
import type { RecordedRequest } from './explain-recorded.ts';

/** The configuration that served a request, as far as it says what was asked of it. */
export type Serving = Readonly<{
  /** The one that was named; undefined when none was. */
  frontendModel: CompiledFrontendModel | undefined;
  /** Equal for equal prompt classes with equal examples. */
  classes: string;
  /** Equal for equal budgets of the caller; empty for none. */
  budget: string;
}>;

/** What the row is asked by now. */
type Asking = Pick<Serving, 'classes' | 'budget'> &
  Readonly<{ frontendModel: CompiledFrontendModel }>;

export type Told = Readonly<{
  /** What the row does not tell of a rule's conditions, but for the clock. */
  open: (rule: CompiledRule) => readonly Question[];
  /** No endpoint had room for it; false where that is not told. */
  isCrowded: (rule: CompiledRule) => boolean;
}>;

/** `serving` is null when it is not known what served the request: its row then tells its own fields alone. */
export function toldBy(
  { inputs }: Pick<RecordedRequest, 'inputs'>,
  serving: Serving | null,
  asking: Asking,
): Told {
  const then = serving?.frontendModel;
  const questions = inputs === null ? null : (then?.questions ?? null);
  const crowded = new Set(inputs?.crowded_rules);
  const rooms = new Map(
    (questions?.inFlight ?? []).map((rule) => [roomKey(rule), crowded.has(rule.id)]),
  );
  const isHeaderTold = (name: string, value: string): boolean =>
    inputs?.headers[name] !== undefined || (questions?.headers.get(name)?.has(value) ?? false);
  const isClassTold =
    then !== undefined &&
    then.namedClasses.size > 0 &&
    then.namesRefined === asking.frontendModel.namesRefined &&
    serving?.classes === asking.classes;
  // Who has no budget has used nothing of it, whatever was then.
  const isBudgetTold = asking.budget === '' || serving?.budget === asking.budget;

  return {
    isCrowded: (rule) => rooms.get(roomKey(rule)) ?? false,
    open: (rule) => {
      const { headers, classes, inFlightBelow, budgetPercentMin: min } = rule.conditions;
      const open: Question[] = headers
        .filter(([name, value]) => !isHeaderTold(name, value))
        .map(([name, value]) => ({ key: `${name}: ${value}`, fields: [`headers.${name}`] }));
      if (classes !== null && !isClassTold) open.push(classQuestion(classes, asking));
      if (min !== unbounded && !isBudgetTold) open.push(budgetQuestion(rule, asking));
      if (inFlightBelow !== null && !rooms.has(roomKey(rule))) {
        open.push({ key: roomKey(rule), fields: ['max_inflight_per_backend'] });
      }
      return open;
    },
  };
}

/** Equal for rules that ask the same of the same endpoints. */
const roomKey = ({ conditions, models }: CompiledRule): string =>
  JSON.stringify([
    'room',
    conditions.inFlightBelow,
    ...models.map(({ id, backends }) => [
      id,
      ...backends.map(({ endpoint, upstreamModel }) => [endpoint, upstreamModel]),
    ]),
  ]);

const classQuestion = (
  classes: ReadonlySet<number>,
  { classes: all, frontendModel }: Asking,
): Question => ({
  key: JSON.stringify(['class', all, frontendModel.namesRefined, ...classes]),
  fields: ['class'],
});

const budgetFields = ['min_budget_used_percent', 'max_budget_used_percent'];

const budgetQuestion = ({ conditions }: CompiledRule, { budget }: Asking): Question => ({
  key: JSON.stringify(['budget', budget, conditions.budgetPercentMin, conditions.budgetPercentMax]),
  fields: budgetFields,
});
