// Pages the append-only lists of the history. Each page links to the next (RFC 8288). The total is
// given only if it is cheap to count, and always ignores filters.

type Value = string | number | undefined;

/** Query parameters. Undefined if absent. */
type Asked = Readonly<Record<string, Value>> & Readonly<{ limit: number }>;

type List<Row> = Readonly<{
  path: string;
  asked: Asked;
  rows: (limit: number) => Promise<readonly Row[]>;
  /** Selects the rows after `last`. */
  nextQuery: (last: Row) => Readonly<Record<string, Value>>;
  /** Ignores filters. Null if the list is longer than the counting limit. */
  total: () => Promise<number | null>;
}>;

/** Reads one extra row to find out whether there is a next page. */
export async function historyPage<Row>({ path, asked, rows, nextQuery, total }: List<Row>) {
  const found = await rows(asked.limit + 1);
  const count = isWhole(asked) ? await total() : null;
  const page = found.slice(0, asked.limit);
  const last = found.length > asked.limit ? page.at(-1) : undefined;
  return {
    rows: page,
    headers: {
      ...(count === null ? {} : { 'x-total-count': String(count) }),
      ...(last === undefined ? {} : { link: linkTo(path, { ...asked, ...nextQuery(last) }) }),
    },
  };
}

const ofPages: ReadonlySet<string> = new Set(['limit', 'order', 'before', 'after']);

const isWhole = (asked: Asked): boolean =>
  Object.entries(asked).every(([name, value]) => value === undefined || ofPages.has(name));

function linkTo(path: string, asked: Asked): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return `<${path}?${parameters.toString()}>; rel="next"`;
}
