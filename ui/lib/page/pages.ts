// Loads lists page by page: the first rows, or all of them.

const pageRows = 1_000;

type Page<Row> = Readonly<{ body: readonly Row[] }>;

/** The rows after `last`, or the first ones. Fewer rows than requested mean the end. */
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

export const follow = <Row>(page: AskPage<Row>) =>
  async function* pages(signal: AbortSignal): AsyncGenerator<readonly Row[], void, undefined> {
    for (let last: Row | undefined; ;) {
      const { body } = await page(pageRows, last, signal);
      if (body.length > 0) yield body;
      if (body.length < pageRows) return;
      last = body.at(-1);
    }
  };

/** `answered` is the number that the shown response was asked for; 0 before the first. */
export type Wanted = Readonly<{ asked: string; rows: number; answered: number }>;

type Steps = Readonly<{ first: number; more: number; max?: number }>;

/** A new query starts again; the same query keeps its number of rows. */
export const wantedFor = (wanted: Wanted | null, asked: string, { first }: Steps): Wanted =>
  wanted?.asked === asked ? wanted : { asked, rows: first, answered: 0 };

/** Unchanged after a failure. */
export const wantedMore = (wanted: Wanted, { more, max = Infinity }: Steps): Wanted => ({
  ...wanted,
  rows: Math.min(max, wanted.answered + more),
});

/** Complete, more available, or loading. */
export function endOf(
  wanted: Wanted | null,
  { shown, isLoading }: Readonly<{ shown: number; isLoading: boolean }>,
): 'all' | 'more' | 'coming' {
  if (wanted === null || wanted.answered === 0) return isLoading ? 'coming' : 'more';
  if (isLoading && wanted.rows > wanted.answered) return 'coming';
  return shown < wanted.answered ? 'all' : 'more';
}
