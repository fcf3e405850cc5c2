// Converts condition values between requests, files, events and responses.

import type { PromptClassId, RoleId } from '../lib/ids.ts';
import type { Field, Fields } from './condition.ts';
import { fieldTypes } from './field-types.ts';
import { storedConditions } from './schemas.ts';
import type { GivenConditions } from './schemas.ts';
import { conditionFields, conditionTable } from './table.ts';
import type { ConditionRecord, ConditionValues } from './table.ts';
import { timeOf } from './time.ts';

/** A rule without conditions matches every request. */
export const noConditions: ConditionValues = storedConditions.parse(
  storedValues(conditionFields, {}, {}),
);

type Plain = Omit<GivenConditions, 'principals' | 'roles' | 'class'>;

/** References are kept and come last. */
export function withGiven(held: ConditionValues, given: Plain): ConditionValues;
export function withGiven(held: ConditionValues, given: Plain): object {
  const { principals, roles, class: promptClass } = held;
  const { principals: _ids, roles: _roles, class: _class, ...plain } = conditionFields;
  return { ...storedValues(plain, held, given), principals, roles, class: promptClass };
}

/** Fields that are neither given nor stored get the empty value of their type. */
export function storedValues(fields: Fields, held: object, given: object): object {
  const values = Object.entries(fields).flatMap(([name, { type, stored = name, added }]) => {
    const { empty } = fieldTypes[type];
    const next: unknown = Reflect.get(given, name);
    const value: unknown = (next === undefined ? Reflect.get(held, stored) : next) ?? empty;
    const isAbsent = added === true && JSON.stringify(value) === JSON.stringify(empty);
    return isAbsent ? [] : [[stored, value]];
  });
  return Object.fromEntries(values);
}

type Names = Readonly<{
  role: (id: RoleId) => string;
  promptClass: (id: PromptClassId) => string;
}>;

/** Roles and the class by name, times as `HH:MM`. */
export function toRecord(values: ConditionValues, names: Names): ConditionRecord;
export function toRecord(values: ConditionValues, names: Names): object {
  const record = Object.entries<Field>(conditionFields).map(([name, { type, stored = name }]) => {
    const value: unknown = Reflect.get(values, stored) ?? fieldTypes[type].empty;
    return [name, type === 'minute' && typeof value === 'number' ? timeOf(value) : value];
  });
  return {
    ...Object.fromEntries(record),
    roles: values.roles.map(names.role),
    class: values.class === null ? null : names.promptClass(values.class),
  };
}

/** Writes times of a rule from a file as `HH:MM` again. */
export const withTimes = (rule: unknown): unknown =>
  Object.fromEntries(
    Object.entries(Object(rule)).map(([name, value]: [string, unknown]) => {
      const isTime = timeNames.has(name) && typeof value === 'number';
      return [name, isTime ? timeOf(value) : value];
    }),
  );

const timeNames: ReadonlySet<string> = new Set(
  Object.entries<Field>(conditionFields).flatMap(([name, { type }]) =>
    type === 'minute' ? name : [],
  ),
);

/** The pairs of bounds with no value between them. */
export const crossedBounds = (values: object) =>
  conditionTable.flatMap(({ bounds: [low, high] = ['', ''] }) => {
    const [min, max]: unknown[] = [Reflect.get(values, low), Reflect.get(values, high)];
    const isCrossed = typeof min === 'number' && typeof max === 'number' && min > max;
    return isCrossed ? [{ low, high, min, max }] : [];
  });
