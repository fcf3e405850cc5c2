// Where in the UI one is: a screen, what is open on it, and the state of the view, all of it in the address, so that any view can be
// sent to somebody else.

export type Place = Readonly<{
  /** The first segment below the base; `overview` at the base itself. */
  screen: string;
  /** The segments behind it, such as the id of what is open in the drawer. */
  rest: readonly string[];
  query: Readonly<Record<string, string>>;
}>;

const home = 'overview';

/** `base` is the path of the UI, or of `#/` below the hash, and ends in a slash. What lies outside of it is the overview. */
export function readPlace(address: URL, base: string): Place {
  const isHash = base.startsWith('#');
  const url = isHash ? new URL(address.hash.slice(1) || '/', 'file:///') : address;
  const path = isHash ? base.slice(1) : base;
  const below = url.pathname.startsWith(path) ? url.pathname.slice(path.length) : '';
  const [screen = home, ...rest] = below
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  return { screen, rest, query: Object.fromEntries(url.searchParams) };
}

/** The path and query, in the one order in which a place is written. */
export function writePlace({ screen, rest, query }: Place, base: string): string {
  const path = [screen === home && rest.length === 0 ? '' : screen, ...rest]
    .map(encodeURIComponent)
    .join('/');
  const search = new URLSearchParams(
    Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ).toString();
  return `${base}${path}${search === '' ? '' : `?${search}`}`;
}

/** With members of the query set, or taken out by null. */
export function withQuery(place: Place, change: Readonly<Record<string, string | null>>): Place {
  const merged = Object.entries({ ...place.query, ...change });
  const query = Object.fromEntries(
    merged.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value]])),
  );
  return { ...place, query };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
