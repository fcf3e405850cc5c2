// Lists that the server answers a page at a time: the first so many rows, or all of them.

const pageRows = 1_000;

type Page<Row> = Readonly<{ body: readonly Row[] }>;

/** The rows behind `last`, or the first ones; fewer than asked for is the end. */
export type AskPage<Row> = (
  limit: number,
  last: Row | undefined,
  signal: AbortSignal,
) => Promise<Page<Row>>;

export async function firstRows<Row>(
  wanted: number,
  page: (limit: number, last: Row | undefined) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  while (rows.length < wanted) {
    const limit = Math.min(pageRows, wanted - rows.length);
    const { body } = await page(limit, rows.at(-1));
    rows.push(...body);
    if (body.length < limit) break;
  }
  return rows;
}

/** Page after page, as long as somebody takes them. */
export const follow = <Row>(page: AskPage<Row>) =>
  async function* pages(signal: AbortSignal): AsyncGenerator<readonly Row[], void, undefined> {
    for (let last: Row | undefined; ;) {
      const { body } = await page(pageRows, last, signal);
      if (body.length > 0) yield body;
      if (body.length < pageRows) return;
      last = body.at(-1);
    }
  };
