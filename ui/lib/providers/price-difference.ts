// Shows a price sync as a diff.

type Change = Readonly<{
  model: string;
  old_input_price_per_mtok: number | null;
  old_output_price_per_mtok: number | null;
  input_price_per_mtok: number;
  output_price_per_mtok: number;
}>;

type Prices = Readonly<
  Record<
    string,
    Readonly<{ input_price_per_mtok: number | null; output_price_per_mtok: number | null }>
  >
>;

export function priceDifference(
  changes: readonly Change[],
): Readonly<{ before: Prices; after: Prices }> {
  const before = changes.map((one) => [
    one.model,
    {
      input_price_per_mtok: one.old_input_price_per_mtok,
      output_price_per_mtok: one.old_output_price_per_mtok,
    },
  ]);
  const after = changes.map(({ model, input_price_per_mtok, output_price_per_mtok }) => [
    model,
    { input_price_per_mtok, output_price_per_mtok },
  ]);
  return { before: Object.fromEntries(before), after: Object.fromEntries(after) };
}
