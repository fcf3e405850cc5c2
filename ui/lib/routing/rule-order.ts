// Computes the order of rules while it is edited, and its API body.

type Identified = Readonly<{ id: number }>;

/** New rules go last; deleted ones are dropped. */
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

export const orderBody = (rules: readonly Identified[]) => ({
  rules: rules.map(({ id }) => ({ id })),
});

type Box = Readonly<{ top: number; height: number }>;

/** After all rules whose middle is above `y`. */
export function placeAt(y: number, boxes: readonly Box[], from: number): number {
  const above = boxes.filter(
    ({ top, height }, index) => index !== from && top + height / 2 < y,
  ).length;
  return Math.min(above, boxes.length - 1);
}
