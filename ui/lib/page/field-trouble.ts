// Which field of a form a refusal belongs to, and which one is still to be filled in.

type Field = Readonly<{ name: string; required: boolean; value: string }>;

/** By its name; a part of a list, such as `targets.0.model`, is of the field of the list. Null where the refusal names none of them. */
export function fieldOf<One extends Pick<Field, 'name'>>(
  fields: readonly One[],
  failure: Readonly<{ param: string | null }> | null,
): One | null {
  const param = failure?.param ?? '';
  if (param === '') return null;
  return (
    fields.find(({ name }) => name === param) ??
    fields.find(({ name }) => param.startsWith(`${name}.`)) ??
    null
  );
}

/** The first one that is needed and blank. */
export const missingOf = <One extends Field>(fields: readonly One[]): One | null =>
  fields.find(({ required, value }) => required && value.trim() === '') ?? null;
