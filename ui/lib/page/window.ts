// Computes which rows of a long list are drawn: the visible ones and a few around them.

export type Window = Readonly<{
  /** `to` is exclusive. */
  from: number;
  to: number;
  /** Height in pixels of rows that are not drawn. */
  above: number;
  below: number;
}>;

type Scrolled = Readonly<{ count: number; rowPx: number; topPx: number; heightPx: number }>;

const spare = 12;

export function windowOf({ count, rowPx, topPx, heightPx }: Scrolled): Window {
  const first = Math.floor(Math.max(0, topPx) / rowPx) - spare;
  const from = Math.max(0, Math.min(first, count - 1));
  const to = Math.min(count, from + Math.ceil(heightPx / rowPx) + 2 * spare);
  return { from, to, above: from * rowPx, below: (count - to) * rowPx };
}
