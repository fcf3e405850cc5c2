// Builds the choices of a form field.

/** `value` is sent, `label` is shown. */
type Choice = Readonly<{ value: string; label: string }>;

/** The values are their own labels. */
export const choicesOf = (words: readonly string[]): readonly Choice[] =>
  words.map((word) => ({ value: word, label: word }));

export const recordChoices = (
  records: readonly Readonly<{ id: number; name: string }>[],
): readonly Choice[] => records.map(({ id, name }) => ({ value: String(id), label: name }));

/** `label` says what the empty choice means. */
export const orNone = (label: string, choices: readonly Choice[]): readonly Choice[] => [
  { value: '', label },
  ...choices,
];
