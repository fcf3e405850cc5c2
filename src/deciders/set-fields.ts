// Builds the events that create an entity, and those that set its plain fields: one per setter
// whose fields differ.

import { creatorOf, settersOf, streamOf } from '../../events/catalogue.ts';
import type { GwEvent } from '../../events/catalogue.ts';
import type { Noun } from '../../events/nouns.ts';
import type { Entities } from '../../projections/config/nouns.ts';
import { camelCase } from '../lib/case.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { toRfc3339 } from '../lib/clock.ts';

/** Undefined members stay unchanged. */
export type Given<Entity> = { readonly [Field in keyof Entity]?: Entity[Field] | undefined };

/** In the order of the catalogue. A field that `held` does not have is null. */
export function setFields<N extends Noun>(
  noun: N,
  held: Given<Entities[N]> & Pick<Entities[N], 'id'>,
  goal: Given<Entities[N]>,
): readonly GwEvent[];
export function setFields(noun: Noun, held: { id: number }, goal: object): readonly object[] {
  return setterEvents(noun, held, (field, before) => {
    const given: unknown = Reflect.get(goal, field);
    return given === undefined ? before : given;
  });
}

/** Clears fields that `goal` does not have. */
export function setAllFields<N extends Noun>(
  noun: N,
  held: Entities[N],
  goal: Entities[N],
): readonly GwEvent[];
export function setAllFields(noun: Noun, held: { id: number }, goal: object): readonly object[] {
  return setterEvents(noun, held, (field) => Reflect.get(goal, field) ?? null);
}

const setterEvents = (
  noun: Noun,
  held: { id: number },
  valueOf: (field: string, before: unknown) => unknown,
): readonly object[] =>
  settersOf(noun).flatMap(({ type, names, optional }) => {
    const values = names.map((name) => {
      const field = camelCase(name);
      const before: unknown = Reflect.get(held, field) ?? null;
      return { name, before, after: valueOf(field, before) };
    });
    const isSame = ({ before, after }: (typeof values)[number]): boolean =>
      canonicalJson(before) === canonicalJson(after);
    if (values.every(isSame)) return [];
    const set = values
      .filter(({ name, before, after }) => (before ?? after) !== null || !optional.has(name))
      .map(({ name, after }) => [name, after] as const);
    const data = { id: held.id, ...Object.fromEntries(set) };
    return [{ stream: streamOf(noun, held.id), type, data }];
  });

export function createdAs<N extends Noun>(noun: N, entity: Entities[N]): GwEvent;
export function createdAs(noun: Noun, entity: { id: number }): object {
  const { type, names } = creatorOf(noun);
  const data = names.map((name) => {
    const value: unknown = Reflect.get(entity, camelCase(name));
    return [name, name === 'created_at' ? toRfc3339(Number(value)) : value] as const;
  });
  return { stream: streamOf(noun, entity.id), type, data: Object.fromEntries(data) };
}
