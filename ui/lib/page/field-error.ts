// Finds the field of a form that a refusal names, and the first required field that is empty.

type Field = Readonly<{ name: string; required: boolean; value: string }>;

/** `targets.0.model` belongs to the field `targets`. Null if no field matches. */
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

export const missingOf = <One extends Field>(fields: readonly One[]): One | null =>
  fields.find(({ required, value }) => required && value.trim() === '') ?? null;
