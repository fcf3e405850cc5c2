// Defines a condition: one value with everything that the gateway, the control plane and the UI
// know about it.

import type { PromptClassId } from '../lib/ids.ts';
import type { Amount, Asked, Place, Question } from './asked.ts';
import type { FieldType, RecordValue, StoredValue } from './field-types.ts';

export type Field = Readonly<{
  type: FieldType;
  label: string;
  hint?: string;
  placeholder?: string;
  /** The meaning of a flag's values. `any` disables the condition. */
  flags?: Readonly<Record<'any' | 'true' | 'false', string>>;
  /** The name in events and snapshots, if it differs. */
  stored?: string;
  /**
   * Omitted in events and snapshots if the rule does not set it, because earlier releases do not
   * know it.
   */
  added?: true;
}>;
/** By name in the admin API and in files. */
export type Fields = Readonly<Record<string, Field>>;

export type StoredName<Name, F> = F extends { readonly stored: infer Stored extends string }
  ? Stored
  : Name;

type AddedName<F extends Fields> = {
  [Name in keyof F & string]: F[Name] extends { readonly added: true } ? Name : never;
}[keyof F & string];
/** In events and snapshots. */
export type StoredValues<F extends Fields> = {
  readonly [
    Name in Exclude<keyof F & string, AddedName<F>> as StoredName<Name, F[Name]>
  ]: StoredValue<F[Name]['type']>;
} & {
  readonly [Name in AddedName<F> as StoredName<Name, F[Name]>]?:
    | StoredValue<F[Name]['type']>
    | undefined;
};
/** In records of the admin API. */
export type RecordValues<F extends Fields> = {
  readonly [Name in keyof F]: RecordValue<F[Name]['type']>;
};

/** In addition to the condition values. */
export type RuleContext = Readonly<{
  /** Those of the rule's own targets. */
  models: readonly Place[];
  /** The class and all classes that refine it. */
  classReach: (id: PromptClassId) => ReadonlySet<number>;
}>;

/** Inclusive. */
export type Within = Readonly<{ amount: Amount; min: number; /** Or `unbounded`. */ max: number }>;

/** Not infinite, because engines compare 31-bit integers several times faster. */
export const unbounded = -1;

/** One compiled condition of a rule. */
export type CompiledCondition = Readonly<{
  /** Evaluated on every request: bounds are compared inline, other tests must not allocate. */
  holds: Within | ((asked: Asked) => boolean);
  /** At least one field if the condition does not hold. */
  failed: (asked: Asked) => readonly string[];
  /** Absent if the columns of a usage row always show whether the condition held. */
  questions?: readonly Question[];
  namedClass?: PromptClassId;
  headerNames?: readonly string[];
}>;

/** Formats values for people. */
export type Say = Readonly<{
  number: (value: number) => string;
  money: (micros: number) => string;
  /** Minutes east of Greenwich. */
  offset: (minutes: number) => string;
  time: (epochMs: number) => string;
  principal: (id: number) => string;
}>;

/** A rule's condition as text. */
export type Phrase = Readonly<{
  text: string;
  /** The described fields. All fields of the condition if absent. */
  fields?: readonly string[];
}>;

/** The columns of a usage row that conditions read. */
export type RecordedUsage = Readonly<{
  principal: string;
  prompt_class: string | null;
  prompt_estimate: number;
  max_tokens: number | null;
  stream: boolean;
  budget_percent: number | null;
  /** Null if the row stores none. */
  rule_inputs: Readonly<{
    at_ms: number;
    headers: Readonly<Record<string, string>>;
    cost_micros: number | null;
  }> | null;
}>;

export const notRecorded = 'not recorded';

export type Condition<Id extends string, F extends Fields> = Readonly<{
  id: Id;
  label: string;
  fields: F;
  /** Conditions with less effort are evaluated first. */
  effort: number;
  /** Two fields of which the first must not exceed the second. */
  bounds?: readonly [keyof F & string, keyof F & string];
  /** Null if the rule does not set the condition. */
  compile: (values: StoredValues<F>, rule: RuleContext) => CompiledCondition | null;
  /** Empty if the rule does not set the condition. */
  phrases: (values: RecordValues<F>, say: Say) => readonly Phrase[];
  /** The value in a recorded request. */
  matched: (usage: RecordedUsage, say: Say, field: string) => string;
}>;

export const condition = <const Id extends string, const F extends Fields>(
  one: Condition<Id, F>,
): Condition<Id, F> => one;
