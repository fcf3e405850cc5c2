// Which methods a path has, for the 405 of a known path that is asked by another (RFC 9110, section 15.5.6).

import type { Route } from './route.ts';

type Addressed = Pick<Route, 'method' | 'path'>;

/** Answers the methods of a request's path; null when no route has it. A query is passed over. */
export type AllowedMethods = (url: string) => readonly string[] | null;

/** The patterns are made when the first request needs them: few ever do. */
export function createAllowedMethods(routes: readonly Addressed[]): AllowedMethods {
  let known: readonly (readonly [RegExp, readonly string[]])[] | null = null;
  return (url) => {
    known ??= patternsOf(routes);
    const path = pathOf(url);
    return known.find(([pattern]) => pattern.test(path))?.[1] ?? null;
  };
}

/**
 * The paths that are written out and that the pattern of `route` would take, with their methods: the router must not take
 * `PATCH /admin/prompt-classes/evaluate` for a class whose id is `evaluate`.
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

/** Those with fewer parameters first: `/admin/keys/self` is not a key whose id is `self`. */
function patternsOf(routes: readonly Addressed[]): (readonly [RegExp, readonly string[]])[] {
  return [...Map.groupBy(routes, (route) => route.path)]
    .toSorted(([left], [right]) => openParts(left) - openParts(right))
    .map(([path, own]) => [patternOf(path), methodsOf(own)]);
}

/** As the router reads it. */
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

/** What answers GET answers HEAD. */
function methodsOf(routes: readonly Addressed[]): string[] {
  const own = order.filter((method) => routes.some((route) => route.method === method));
  return own.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
