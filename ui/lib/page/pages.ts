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

/** How many rows a list asks for, and how many the answer that is shown was asked for; 0 before the first. */
export type Wanted = Readonly<{ asked: string; rows: number; answered: number }>;

type Steps = Readonly<{ first: number; more: number; max?: number }>;

/** Another question begins anew; the same one goes on with as many rows as it had. */
export const wantedFor = (wanted: Wanted | null, asked: string, { first }: Steps): Wanted =>
  wanted?.asked === asked ? wanted : { asked, rows: first, answered: 0 };

/** What is asked for next: more than what came, which after a failure is the same again. */
export const wantedMore = (wanted: Wanted, { more, max = Infinity }: Steps): Wanted => ({
  ...wanted,
  rows: Math.min(max, wanted.answered + more),
});

/** What stands below a list of so many rows: that it is all, a way to more, or that more is on its way. */
export function endOf(
  wanted: Wanted | null,
  { shown, isLoading }: Readonly<{ shown: number; isLoading: boolean }>,
): 'all' | 'more' | 'coming' {
  if (wanted === null || wanted.answered === 0) return isLoading ? 'coming' : 'more';
  if (isLoading && wanted.rows > wanted.answered) return 'coming';
  return shown < wanted.answered ? 'all' : 'more';
}
