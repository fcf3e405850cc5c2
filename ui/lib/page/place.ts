// Reads and writes addresses of the UI: screen, open record and view. Every view has an address that can be shared.

export type Place = Readonly<{
  /** The first segment after the base; `overview` at the base. */
  screen: string;
  /** For example the id of the open record. */
  rest: readonly string[];
  query: Readonly<Record<string, string>>;
}>;

const home = 'overview';

/** `base` is the path of the UI, or `#/`, and ends in a slash. Any other address is the overview. */
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

/** In canonical order. */
export function writePlace({ screen, rest, query }: Place, base: string): string {
  const path = [screen === home && rest.length === 0 ? '' : screen, ...rest]
    .map(encodeURIComponent)
    .join('/');
  const search = new URLSearchParams(
    Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ).toString();
  return `${base}${path}${search === '' ? '' : `?${search}`}`;
}

/** Null removes a member. */
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
