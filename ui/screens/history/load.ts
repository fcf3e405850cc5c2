// Rows of the history, page by page: the first so many of the order that is asked for, or as many as there are.

const pageRows = 1_000;

type Page<Row> = Readonly<{ body: readonly Row[] }>;

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
