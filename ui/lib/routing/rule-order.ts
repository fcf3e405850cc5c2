// The order of rules while it is changed: what moves where, and what of it is sent.

type Identified = Readonly<{ id: number }>;

/** The rules in the order of the ids; rules that are new since then stand behind them, and gone ones nowhere. */
export function inOrder<Rule extends Identified>(
  rules: readonly Rule[],
  ids: readonly number[] | null,
): readonly Rule[] {
  if (ids === null) return rules;
  const known = ids.flatMap((id) => rules.find((rule) => rule.id === id) ?? []);
  return [...known, ...rules.filter((rule) => !ids.includes(rule.id))];
}

export const isOtherOrder = (rules: readonly Identified[], ids: readonly number[]): boolean =>
  inOrder(rules, ids).some(({ id }, index) => rules[index]?.id !== id);

/** Each stays as it is but for its place. */
export const orderBody = (rules: readonly Identified[]) => ({
  rules: rules.map(({ id }) => ({ id })),
});

type Box = Readonly<{ top: number; height: number }>;

/** Where what is dragged to `y` belongs: behind all whose middle lies above. */
export function placeAt(y: number, boxes: readonly Box[], from: number): number {
  const above = boxes.filter(
    ({ top, height }, index) => index !== from && top + height / 2 < y,
  ).length;
  return Math.min(above, boxes.length - 1);
}
