// Pages of the lists of the history, which only grow: each says where the next one begins (RFC 8288), and how many rows there are in all
// where that is known without reading them: of the whole list, and not of what a filter leaves of it.

type Value = string | number | undefined;

/** As the query has them; undefined was not asked. */
type Asked = Readonly<Record<string, Value>> & Readonly<{ limit: number }>;

type List<Row> = Readonly<{
  path: string;
  asked: Asked;
  /** At most so many rows. */
  rows: (limit: number) => Promise<readonly Row[]>;
  /** What asks for the rows behind one. */
  behind: (last: Row) => Readonly<Record<string, Value>>;
  /** Of the whole list; null when there are more than are counted. */
  total: () => Promise<number | null>;
}>;

/** One row more than asked for tells whether there is a next page. */
export async function historyPage<Row>({ path, asked, rows, behind, total }: List<Row>) {
  const found = await rows(asked.limit + 1);
  const count = isWhole(asked) ? await total() : null;
  const page = found.slice(0, asked.limit);
  const last = found.length > asked.limit ? page.at(-1) : undefined;
  return {
    rows: page,
    headers: {
      ...(count === null ? {} : { 'x-total-count': String(count) }),
      ...(last === undefined ? {} : { link: linkTo(path, { ...asked, ...behind(last) }) }),
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
