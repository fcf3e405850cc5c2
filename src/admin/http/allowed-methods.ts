// Finds the methods of a path, for 405 responses (RFC 9110, section 15.5.6).

import type { Route } from './route.ts';

type Addressed = Pick<Route, 'method' | 'path'>;

/** Ignores the query. Null if no route has the path. */
export type AllowedMethods = (url: string) => readonly string[] | null;

/** Compiles the patterns on first use, because few requests need them. */
export function createAllowedMethods(routes: readonly Addressed[]): AllowedMethods {
  let known: readonly (readonly [RegExp, readonly string[]])[] | null = null;
  return (url) => {
    known ??= patternsOf(routes);
    const path = pathOf(url);
    return known.find(([pattern]) => pattern.test(path))?.[1] ?? null;
  };
}

/**
 * Paths without parameters that also match the pattern of `route`, with their methods. The router
 * would read `PATCH /admin/prompt-classes/evaluate` as the class with the id `evaluate`.
 */
export function writtenOutPaths(
  routes: readonly Addressed[],
  { path }: Addressed,
): ReadonlyMap<string, readonly string[]> {
  const pattern = patternOf(path);
  const others = routes.filter((one) => !one.path.includes('{') && pattern.test(one.path));
  const byPath = Map.groupBy(others, (one) => one.path);
  return new Map([...byPath].map(([other, own]) => [other, methodsOf(own)]));
}

/** Paths with fewer parameters come first: `/admin/keys/self` is not a key with the id `self`. */
function patternsOf(routes: readonly Addressed[]): (readonly [RegExp, readonly string[]])[] {
  return [...Map.groupBy(routes, (route) => route.path)]
    .toSorted(([left], [right]) => openParts(left) - openParts(right))
    .map(([path, own]) => [patternOf(path), methodsOf(own)]);
}

/** Decodes the path as the router does. */
function pathOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const openParts = (path: string): number => path.split(/[{*]/).length;

function patternOf(path: string): RegExp {
  const literal = path.replaceAll('.', String.raw`\.`);
  return new RegExp(`^${literal.replaceAll(/\{\w+\}/g, '[^/]+').replace('*', '.*')}$`);
}

const order: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function methodsOf(routes: readonly Addressed[]): string[] {
  const own = order.filter((method) => routes.some((route) => route.method === method));
  return own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
