// The definition of a condition: one value holds everything that the gateway, the control plane and the UI know about it.

import type { PromptClassId } from '../lib/ids.ts';
import type { Amount, Asked, Place, Question } from './asked.ts';
import type { FieldType, RecordValue, StoredValue } from './field-types.ts';

export type Field = Readonly<{
  type: FieldType;
  label: string;
  hint?: string;
  placeholder?: string;
  /** What the values of a flag mean; `any` does not ask. */
  flags?: Readonly<Record<'any' | 'true' | 'false', string>>;
  /** The name in events and snapshots, where it differs from the name in the admin API and in files. */
  stored?: string;
  /** Absent in events and snapshots where a rule does not ask for it: earlier releases neither write nor read it. */
  added?: true;
}>;
/** By their names in the admin API and in files. */
export type Fields = Readonly<Record<string, Field>>;

export type StoredName<Name, F> = F extends { readonly stored: infer Stored extends string }
  ? Stored
  : Name;

type AddedName<F extends Fields> = {
  [Name in keyof F & string]: F[Name] extends { readonly added: true } ? Name : never;
}[keyof F & string];
/** The values of fields in events and snapshots. */
export type StoredValues<F extends Fields> = {
  readonly [
    Name in Exclude<keyof F & string, AddedName<F>> as StoredName<Name, F[Name]>
  ]: StoredValue<F[Name]['type']>;
} & {
  readonly [Name in AddedName<F> as StoredName<Name, F[Name]>]?:
    | StoredValue<F[Name]['type']>
    | undefined;
};
/** The values of fields in records of the admin API. */
export type RecordValues<F extends Fields> = {
  readonly [Name in keyof F]: RecordValue<F[Name]['type']>;
};

/** What a rule has besides the values of its conditions. */
export type RuleContext = Readonly<{
  /** The models behind the rule's own targets. */
  models: readonly Place[];
  /** The class and all classes that refine it. */
  classReach: (id: PromptClassId) => ReadonlySet<number>;
}>;

/** Inclusive. */
export type Within = Readonly<{ amount: Amount; min: number; /** Or `unbounded`. */ max: number }>;

/** Small, not infinite: engines compare whole numbers that fit in 31 bits several times as fast. */
export const unbounded = -1;

/** What one rule asks for. */
export type CompiledCondition = Readonly<{
  /** On every request, the bounds of an amount are compared without a call. Another test must not allocate. */
  holds: Within | ((asked: Asked) => boolean);
  /** The fields that are not met: at least one when the condition does not hold. */
  failed: (asked: Asked) => readonly string[];
  /** None when the columns of a usage row always tell whether it held. */
  questions?: readonly Question[];
  namedClass?: PromptClassId;
  headerNames?: readonly string[];
}>;

/** How values are written for people. */
export type Say = Readonly<{
  number: (value: number) => string;
  money: (micros: number) => string;
  /** Minutes east of Greenwich. */
  offset: (minutes: number) => string;
  time: (epochMs: number) => string;
  principal: (id: number) => string;
}>;

/** What a rule asks, as a person reads it. */
export type Phrase = Readonly<{
  text: string;
  /** The fields it comes from; all fields of the condition when absent. */
  fields?: readonly string[];
}>;

/** The columns of a usage row that conditions ask about. */
export type RecordedUsage = Readonly<{
  principal: string;
  prompt_class: string | null;
  prompt_estimate: number;
  max_tokens: number | null;
  stream: boolean;
  budget_percent: number | null;
  /** Null when the row keeps none. */
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
  /** Conditions with less effort are asked first. */
  effort: number;
  /** Two fields of which the first must not be above the second. */
  bounds?: readonly [keyof F & string, keyof F & string];
  /** Null when the rule does not ask for it. */
  compile: (values: StoredValues<F>, rule: RuleContext) => CompiledCondition | null;
  /** Empty when the rule does not ask for it. */
  phrases: (values: RecordValues<F>, say: Say) => readonly Phrase[];
  /** What a recorded request had where the rule asked for `field`. */
  matched: (usage: RecordedUsage, say: Say, field: string) => string;
}>;

export const condition = <const Id extends string, const F extends Fields>(
  one: Condition<Id, F>,
): Condition<Id, F> => one;
