// What a choice offers, made of what there is to choose from.

/** `value` is sent, `label` is read. */
type Choice = Readonly<{ value: string; label: string }>;

/** Words that are their own names. */
export const choicesOf = (words: readonly string[]): readonly Choice[] =>
  words.map((word) => ({ value: word, label: word }));

/** Records, chosen by their ids and read by their names. */
export const recordChoices = (
  records: readonly Readonly<{ id: number; name: string }>[],
): readonly Choice[] => records.map(({ id, name }) => ({ value: String(id), label: name }));

/** With the choice of none before all others; `label` says what that means. */
export const orNone = (label: string, choices: readonly Choice[]): readonly Choice[] => [
  { value: '', label },
  ...choices,
];
