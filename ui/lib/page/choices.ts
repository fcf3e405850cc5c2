// Builds the choices of a form field.

/** `value` is sent, `label` is shown. */
type Choice = Readonly<{ value: string; label: string }>;

/** Values that are their own labels. */
export const choicesOf = (words: readonly string[]): readonly Choice[] =>
  words.map((word) => ({ value: word, label: word }));

/** Records by id, labeled by name. */
export const recordChoices = (
  records: readonly Readonly<{ id: number; name: string }>[],
): readonly Choice[] => records.map(({ id, name }) => ({ value: String(id), label: name }));

/** Adds an empty choice first; `label` says what it means. */
export const orNone = (label: string, choices: readonly Choice[]): readonly Choice[] => [
  { value: '', label },
  ...choices,
];
